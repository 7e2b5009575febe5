#!/bin/bash
# Runs once, when the image creates the primary's database.
set -euo pipefail
echo 'host replication tradepost all scram-sha-256' >> "$PGDATA/pg_hba.conf"
# Takes effect at the next start: a commit here must not wait for a standby that cannot exist yet.
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --command "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
