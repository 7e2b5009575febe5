/**
 * The service will not start, and one line says why and what to do about it. `main.ts` prints the line
 * without a stack and ends with exit code 1.
 */
export class StartRefusal extends Error {
  constructor(line: string, options?: ErrorOptions) {
    super(line.replace(/\s+/g, ' ').trim(), options);
    this.name = new.target.name;
  }
}

/** A setting has a value that it must not have; the line begins with the setting's name. */
export class ConfigError extends StartRefusal {
  constructor(
    readonly setting: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${setting} ${problem}`, options);
  }
}
