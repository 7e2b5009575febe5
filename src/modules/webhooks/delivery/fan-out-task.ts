import { JobTask } from '../../../kit/jobs/job-task.js';

/** Finds the endpoints that subscribe to events. */
export const FAN_OUT = new JobTask<{ readonly event_ids: readonly string[] }>('webhooks.fan_out');
