/** What each part of the page is told. */
export interface PartProps {
  readonly accountId: string;
  /** What it is narrowed to: a market, an asset or an account. */
  readonly only: string | undefined;
}
