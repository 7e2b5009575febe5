import type { Environment } from './setting.js';

/** The environment that settings are read from. No log and no inspection shows it, since it has secrets in it. */
export class ReadEnvironment {
  readonly #variables: Environment;

  constructor(variables: Environment) {
    this.#variables = variables;
  }

  get variables(): Environment {
    return this.#variables;
  }
}
