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

/** What a provider makes of a person. */
export type KycOpinion =
  | { readonly verdict: 'clear' }
  /** A person should look. */
  | { readonly verdict: 'review' }
  /** `message` says what to do, for the person; it is answered and kept, so it has no personal data. */
  | { readonly verdict: 'reject'; readonly code: string; readonly message: string };

export type KycExamination =
  | KycOpinion
  /** A callback will tell; `reference` is the case as the provider knows it, of at most 200 characters. */
  | { readonly verdict: 'later'; readonly reference: string };

export interface KycCallback {
  readonly reference: string;
  readonly opinion: KycOpinion;
}

/**
 * Extension point: an outside service that looks at people too. The service's own checks always run before,
 * so that none of them is lost with a provider: a case in which they find something is never approved because
 * the provider is content. Callbacks come to `POST /kyc/callbacks/{name}`, signed as Standard Webhooks are.
 */
export abstract class KycProvider {
  /** In lower case letters, digits and hyphens, at most 32; part of the callbacks' address. */
  abstract readonly name: string;

  /**
   * Looks at a person, or begins to. It may be asked for the same case again, such as after a crash or a
   * failure: `kycId` is then the same. What it throws is a failure, after which it is asked again.
   */
  abstract examine(kycId: string, person: PersonalData): Promise<KycExamination>;

  /** The secrets that callbacks may be signed with, such as `whsec_…`: two while one takes the other's place. */
  abstract callbackSecrets(): readonly string[];

  /** Reads a callback whose signature is right; `undefined` for one that says nothing about a case. */
  abstract readCallback(payload: unknown): KycCallback | undefined;
}

/** The default: the service's own checks are all the checks. */
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
