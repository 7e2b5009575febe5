/** The script was interrupted; its message is the line to show. */
export class Interruption extends Error {}

/**
 * Rejects with an Interruption at SIGINT, SIGTERM or SIGHUP, so that a script which races its work against it
 * passes through its `finally` and stops the services that it started.
 */
export function interrupted(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => reject(new Interruption('Interrupted.')));
    }
  });
}
