#include "server/devices/encoding_cursor.h"

#include <algorithm>

#include "server/devices/cpu_table.h"

namespace posenc::server {
namespace {

const double* ValuesOf(const TableRow& row) {
  if (row.table == nullptr) return nullptr;
  return reinterpret_cast<const double*>(AsCpuTable(row.table).Row(row.row));
}

bool Continues(const TableRow& row, const TableRow& next) {
  if (row.table != next.table) return false;
  return row.table == nullptr || next.row == row.row + 1;
}

}  // namespace

EncodingCursor::Run EncodingCursor::Next(std::uint64_t max_rows) {
  TableRow last = map_.rows[index_];
  Run run{ValuesOf(last), 1};
  Advance();
  while (run.rows < max_rows && Continues(last, map_.rows[index_])) {
    last = map_.rows[index_];
    ++run.rows;
    Advance();
  }
  return run;
}

EncodingCursor::Run EncodingCursor::NextShared(std::uint64_t max_rows) {
  const Run run{ValuesOf(map_.rows[index_]), std::min(left_, max_rows)};
  left_ -= run.rows - 1;
  Advance();
  return run;
}

void EncodingCursor::Advance() {
  if (--left_ > 0) return;
  left_ = map_.run;
  if (++index_ == map_.rows.size()) index_ = 0;
}

}  // namespace posenc::server
