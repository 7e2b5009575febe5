/**
 * The service refuses to start; one line says why and what to do. `main.ts` prints the line without a stack and exits
 * with code 1.
 */
export class StartRefusal extends Error {
  constructor(line: string, options?: ErrorOptions) {
    super(line.replace(/\s+/g, ' ').trim(), options);
    this.name = new.target.name;
  }
}

/** A setting has an invalid value; the line begins with the setting's name. */
export class ConfigError extends StartRefusal {
  constructor(
    readonly setting: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${setting} ${problem}`, options);
  }
}
