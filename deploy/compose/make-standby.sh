#!/bin/bash
# Copies the primary at the first start, and replicates from it after every start.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA"
  # -R writes standby.signal and primary_conninfo.
  pg_basebackup --host primary --username tradepost --pgdata "$PGDATA" --wal-method stream --checkpoint fast -R
fi
# Its name in synchronous_standby_names of the primary.
exec postgres -c cluster_name=standby
