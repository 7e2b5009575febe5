/**
 * Of events and deliveries with a smaller `made_by` none can be added any more: the transactions have ended, and who gets
 * their events has been found out. So who goes by `(made_by, event_id)` misses none.
 */
export const MADE_BEFORE = `(
  SELECT least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    (SELECT made_by FROM webhook_events WHERE NOT is_fanned_out ORDER BY made_by, event_id LIMIT 1)))`;
