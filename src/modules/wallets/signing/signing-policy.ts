import type { Principal } from '../../../kit/security/principal.js';

/** A message that a wallet's key is about to sign. */
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
  /** As in the response: 0x and 64 hex digits. A repeat of the request has the same digest. */
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
   * Somebody must approve first; sent as 403 `approval_required`. The policy remembers the request by digest and
   * address, and allows a repeat once it is approved.
   */
  | { readonly verdict: 'needs_approval'; readonly message: string };

/**
 * Extension point: what the keys of wallets may sign. It is called after validation, before anything is signed. The
 * service itself ensures that an address with credited money signs nothing. Any error refuses the signature; an
 * `ApiError` is sent as it is.
 */
export abstract class SigningPolicy {
  abstract review(proposal: ProposedSignature): SigningVerdict | Promise<SigningVerdict>;
}

const ALLOWED: SigningVerdict = { verdict: 'allow' };

/** The default: every authorized caller may sign anything. */
export class AllowSigning extends SigningPolicy {
  override review(): SigningVerdict {
    return ALLOWED;
  }
}
