export const DOCUMENT_TYPES = ['passport', 'id_card', 'driving_licence'] as const;

export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export interface KycAddress {
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly region: string | null;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

export interface KycDocument {
  readonly type: DocumentType;
  readonly number: string;
  /** ISO 3166-1 alpha-2, or a three-letter code of ICAO Doc 9303 such as `XXA`. */
  readonly issuingCountry: string;
  /** The last day on which it is valid, such as `2030-05-31`. */
  readonly expiresOn: string;
  /** The lines of its machine-readable zone; empty where it has none. */
  readonly mrz: readonly string[];
}

/** What a person submits: all of it personal data, which belongs in no log. */
export interface PersonalData {
  readonly firstName: string;
  readonly lastName: string;
  /** Such as `1974-08-12`. */
  readonly dateOfBirth: string;
  /** ISO 3166-1 alpha-2, or a three-letter code of ICAO Doc 9303 such as `XXA`. */
  readonly nationality: string;
  readonly address: KycAddress;
  readonly document: KycDocument;
}

/** A provider's verdict on a person. */
export type KycOpinion =
  | { readonly verdict: 'clear' }
  /** An operator should look. */
  | { readonly verdict: 'review' }
  /** `message` tells the person what to do; it is sent and stored, so it must not contain personal data. */
  | { readonly verdict: 'reject'; readonly code: string; readonly message: string };

export type KycExamination =
  | KycOpinion
  /** A callback will follow; `reference` is the provider's id of the case, at most 200 characters. */
  | { readonly verdict: 'later'; readonly reference: string };

export interface KycCallback {
  readonly reference: string;
  readonly opinion: KycOpinion;
}

/**
 * Extension point: an outside service that also examines people. The service's own checks always run first and cannot
 * be overruled: a case with findings is never approved because the provider has none. Callbacks come to `POST
 * /kyc-callbacks/{name}`, signed as Standard Webhooks.
 */
export abstract class KycProvider {
  /** In lower case letters, digits and hyphens, at most 32; part of the callbacks' address. */
  abstract readonly name: string;

  /**
   * Examines a person, or begins to. It may be called again for the same case, with the same `kycId`, after a crash or
   * a failure. A rejected promise is a failure, and is retried.
   */
  abstract examine(kycId: string, person: PersonalData): Promise<KycExamination>;

  /** The secrets that may sign callbacks, such as `whsec_…`; two during a rotation. */
  abstract callbackSecrets(): readonly string[];

  /** Reads a callback with a valid signature; `undefined` if it concerns no case. */
  abstract readCallback(payload: unknown): KycCallback | undefined;
}

/** The default: no checks beyond the service's own. */
export class BuiltInChecksOnly extends KycProvider {
  override readonly name = 'built-in';

  override examine(): Promise<KycExamination> {
    return Promise.resolve({ verdict: 'clear' });
  }

  override callbackSecrets(): readonly string[] {
    return [];
  }

  override readCallback(): undefined {
    return undefined;
  }
}
