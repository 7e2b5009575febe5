/** A statement for the driver; with a name it is prepared once and then known to the server by that. */
export interface SqlStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  /** How many rows it writes, where whoever sends it is to make sure of that. */
  readonly rows?: number;
}
