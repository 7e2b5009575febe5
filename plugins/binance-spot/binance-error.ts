/** A refusal as the dialect documents it: `{"code": -1121, "msg": "Invalid symbol."}`. */
export class BinanceError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly status = 400,
    readonly headers: Readonly<Record<string, string>> = {},
    /** What became of the parts of a request, where one of them failed. */
    readonly data?: object,
  ) {
    super(message);
    this.name = 'BinanceError';
  }

  get body(): { readonly code: number; readonly msg: string; readonly data?: object } {
    return { code: this.code, msg: this.message, ...(this.data !== undefined && { data: this.data }) };
  }
}

export const invalidSymbol = (): BinanceError => new BinanceError(-1121, 'Invalid symbol.');

export const illegalCharacters = (name: string, range: string): BinanceError =>
  new BinanceError(-1100, `Illegal characters found in parameter '${name}'; legal range is '${range}'.`);

export const mandatory = (name: string): BinanceError =>
  new BinanceError(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);

export const eitherMandatory = (one: string, other: string): BinanceError =>
  new BinanceError(-1102, `Param '${one}' or '${other}' must be sent, but both were empty/null!`);

export const notRequired = (name: string): BinanceError =>
  new BinanceError(-1106, `Parameter '${name}' sent when not required.`);

export const badCombination = (): BinanceError =>
  new BinanceError(-1128, 'Combination of optional parameters invalid.');

export const invalidParameter = (name: string): BinanceError =>
  new BinanceError(-1130, `Data sent for parameter '${name}' is not valid.`);

export const newOrderRejected = (message: string): BinanceError => new BinanceError(-2010, message);
