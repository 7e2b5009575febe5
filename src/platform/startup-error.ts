/** A reason not to start that the operator can mend; its message is the one line that is shown. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
