/** What the jobs that send mail have in common. */

/** Mails share these queues: however long a server takes, other jobs go on. */
const QUEUES = 2;

/** Of yesterday's news nobody has a use. The tries of a job go on for longer than this, so none ends before it. */
const WORTH_SENDING_FOR_MS = 24 * 3_600_000;

/** The queue for the mails of a user. */
export function mailQueueOf(userId: string): string {
  return `mail:${Number(userId) % QUEUES}`;
}

/** Whether a mail about what was at this time, in RFC 3339, is better not sent any more. */
export function isTooLate(at: string): boolean {
  return Date.now() - Date.parse(at) > WORTH_SENDING_FOR_MS;
}
