#!/bin/bash
# Copies the primary at the first start, and follows it at every start.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA"
  # -R writes standby.signal and how to reach the primary.
  pg_basebackup --host primary --username tradepost --pgdata "$PGDATA" --wal-method stream --checkpoint fast -R
fi
# The name by which the primary waits for it.
exec postgres -c cluster_name=standby
