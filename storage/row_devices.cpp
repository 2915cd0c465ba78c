// A person's changes of devices, and the ports devices were seen on, to statements. Private to the writer.
#include <string>

#include "storage/row_writer.h"

namespace leakhunt::storage {

void RowWriter::operator()(const recorder::PortRow& row) {
  Statement put = db_.prepare(
      "INSERT INTO port VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(device) DO UPDATE SET path = excluded.path, "
      "by_id = excluded.by_id, usb_vendor = excluded.usb_vendor, usb_product = excluded.usb_product, "
      "usb_serial = excluded.usb_serial, seen_us = excluded.seen_us");
  put.bind(0, number(row.device)).bind(1, row.path).bind(2, row.by_id).bind(3, std::int64_t{row.usb_vendor});
  put.bind(4, std::int64_t{row.usb_product}).bind(5, row.usb_serial).bind(6, row.seen.us).run();
}

void RowWriter::operator()(const recorder::RenameDevice& row) {
  db_.prepare("UPDATE device SET name = ? WHERE id = ?").bind(0, row.name).bind(1, number(row.device)).run();
}

}  // namespace leakhunt::storage
