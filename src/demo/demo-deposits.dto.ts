/** An amount that was credited. */
export class DemoDepositDto {
  /** @example USD */
  asset: string;

  /**
   * In units of the asset.
   * @example 100000
   */
  amount: string;
}

/** The answer of `POST /demo/deposits`. */
export class DemoDepositsDto {
  /** @example acc_00000000004 */
  account_id: string;

  deposits: DemoDepositDto[];
}
