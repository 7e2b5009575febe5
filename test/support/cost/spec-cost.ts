/** The environment variable with the folder in which workers note what their spec files cost. */
export const COST_FOLDER = 'TEST_COST_FOLDER';

/** What one spec file took of its worker. */
export interface SpecCost {
  /** Absolute path. */
  readonly spec: string;
  readonly workerMs: number;
  readonly wallMs: number;
}
