// See buckets.h.
#include "analysis/buckets.h"

namespace leakhunt::analysis {

Point level_of(const LevelBucket& bucket) {
  Point point;
  point.x_s = bucket.x_s;
  point.t_s = bucket.t_s;
  point.value = present(bucket.p80) ? bucket.p80 : bucket.max;
  return point;
}

}  // namespace leakhunt::analysis
