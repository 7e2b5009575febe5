import type { Principal } from '../security/principal.js';

/** Something that a wallet's key is about to sign. */
export interface ProposedSignature {
  readonly principal: Principal;
  /** Public ids, such as `wlt_…` and `adr_…`. */
  readonly walletId: string;
  readonly addressId: string;
  /** `ethereum`, `bitcoin` or `solana`. */
  readonly chain: string;
  readonly address: string;
  /** `eip191`, `eip712`, `bip322_simple` or `solana_offchain`. */
  readonly scheme: string;
  /** As the answer will have it: 0x and 64 hex digits. The same for a repeat of the request. */
  readonly digest: string;
  readonly content: SignedContent;
}

export type SignedContent =
  | { readonly type: 'raw'; readonly message: Uint8Array }
  | {
      readonly type: 'typed';
      readonly primaryType: string;
      /** Checked against their types; numbers are `bigint`. */
      readonly domain: Readonly<Record<string, unknown>>;
      readonly message: Readonly<Record<string, unknown>>;
    };

export type SigningVerdict =
  | { readonly verdict: 'allow' }
  /** `message` says what to do, for the caller; answered as 422 `signing_denied`. */
  | { readonly verdict: 'deny'; readonly message: string }
  /**
   * Somebody must approve first; answered as 403 `approval_required`. The policy keeps what it waits for,
   * by digest and address, and allows the caller's repeat of the request once it is approved.
   */
  | { readonly verdict: 'needs_approval'; readonly message: string };

/**
 * Extension point: what the keys of wallets may sign. Asked before anything is signed, after the request was
 * found to be in order; that an address which holds credited money signs nothing is not its business. What it
 * throws refuses the signature as any failure would; an `ApiError` is answered as it is.
 */
export abstract class SigningPolicy {
  abstract review(proposal: ProposedSignature): SigningVerdict | Promise<SigningVerdict>;
}

const ALLOWED: SigningVerdict = { verdict: 'allow' };

/** The default: whoever may sign may sign anything. */
export class AllowSigning extends SigningPolicy {
  override review(): SigningVerdict {
    return ALLOWED;
  }
}
