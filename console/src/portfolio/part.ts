/** What each part of the page is told. */
export interface PartProps {
  readonly accountId: string;
  /** What it is narrowed to: a market or an asset. */
  readonly only: string | undefined;
}
