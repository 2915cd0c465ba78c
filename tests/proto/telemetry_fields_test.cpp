// Variants and fields by every name a user may type.
#include "proto/telemetry_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leakhunt::proto {
namespace {

using ::testing::ElementsAre;

TEST(TelemetryFields, AVariantGoesByItsShortAndItsWireNames) {
  for (const char* name : {"local", "local_stats", "localStats"}) {
    ASSERT_NE(find_variant(name), nullptr) << name;
    EXPECT_EQ(find_variant(name)->variant, Variant::local);
  }
  for (const char* name : {"airQuality", "air_quality", "air_quality_metrics", "airQualityMetrics"})
    EXPECT_EQ(find_variant(name)->variant, Variant::air_quality) << name;
  EXPECT_EQ(find_variant("locals"), nullptr);
  std::vector<std::string> names;
  for (const auto& variant : telemetry_variants()) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("device", "environment", "airQuality", "power", "local", "health", "host",
                                 "traffic"));
}

TEST(TelemetryFields, AFieldGoesBySnakeAndCamelCaseAndTheTwoShortNames) {
  const TelemetryVariant& local = info(Variant::local);
  for (const char* name : {"heap_free_bytes", "heapFreeBytes", "free_heap"})
    EXPECT_EQ(find_field(local, name)->name, "heap_free_bytes") << name;
  EXPECT_EQ(find_field(local, "total_heap")->name, "heap_total_bytes");
  EXPECT_EQ(find_field(local, "heapFreeBytes")->camel_name, "heapFreeBytes");
  EXPECT_EQ(find_field(local, "battery_level"), nullptr);
  EXPECT_EQ(find_field(info(Variant::health), "spO2")->number, 2U);
  EXPECT_EQ(find_field(info(Variant::host), "user_string")->kind, TelemetryField::Kind::text);
  EXPECT_EQ(find_field(info(Variant::device), "voltage")->kind, TelemetryField::Kind::real);
}

TEST(TelemetryFields, TheVariantsOfAField) {
  EXPECT_THAT(variants_with_field("battery_level"), ElementsAre(Variant::device));
  EXPECT_THAT(variants_with_field("uptimeSeconds"),
              ElementsAre(Variant::device, Variant::local, Variant::host));
  EXPECT_TRUE(variants_with_field("nonsense").empty());
}

}  // namespace
}  // namespace leakhunt::proto
