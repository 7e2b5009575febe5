import { JobTask } from '../jobs/job-task.js';

/** Finds the endpoints that want to hear of events. */
export const FAN_OUT = new JobTask<{ readonly event_ids: readonly string[] }>('webhooks.fan_out');
