import { isIP } from 'node:net';
import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  type VerifiedAuthenticationResponse,
  type VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { COSEALG, decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { Texts } from '../../../kit/words/texts.js';
import type { PasskeyEntity } from './passkey.entity.js';

/** As long as a challenge is good. */
const TIMEOUT_MS = 5 * 60_000;
/** What every authenticator has one of; `none` and anything made up is refused. */
const ALGORITHMS = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];

/** What a browser sent; the library checks whatever it reads. */
export type PresentedResponse = Readonly<Record<string, unknown>>;

export type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>;
export type Assertion = VerifiedAuthenticationResponse['authenticationInfo'];

/** Whether a challenge, as the browser sends it back, may be answered now. */
type TakeChallenge = (challenge: string) => Promise<boolean>;

/** The service as passkeys know it (WebAuthn): by the host name and the origin of `PUBLIC_URL`. */
@Injectable()
export class RelyingParty {
  private readonly logger = new Logger(RelyingParty.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly texts: Texts,
  ) {}

  /** Whether browsers can have passkeys here: they take host names alone, no addresses. */
  get hasHostName(): boolean {
    return isIP(this.id.replace(/^\[(.*)\]$/, '$1')) === 0;
  }

  /** For `navigator.credentials.create`. */
  creationOptions(
    user: { readonly userId: string; readonly username: string },
    present: readonly PasskeyEntity[],
    challenge: Uint8Array<ArrayBuffer>,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return generateRegistrationOptions({
      rpName: this.texts.branding.name,
      rpID: this.id,
      userID: isoBase64URL.toBuffer(userHandleOf(user.userId)),
      userName: user.username,
      userDisplayName: user.username,
      challenge,
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: present.map(descriptorOf),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** For `navigator.credentials.get`: of these passkeys, or of any where there are none. */
  requestOptions(
    present: readonly PasskeyEntity[],
    challenge: Uint8Array<ArrayBuffer>,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return generateAuthenticationOptions({
      rpID: this.id,
      allowCredentials: present.map(descriptorOf),
      challenge,
      timeout: TIMEOUT_MS,
      userVerification: 'required',
    });
  }

  /** The new passkey; undefined for a response that proves none. */
  verifyRegistration(response: PresentedResponse, take: TakeChallenge): Promise<Registration | undefined> {
    return this.refusing(async () => {
      const presented = response as unknown as RegistrationResponseJSON;
      if (!attestsNothing(presented)) throw new Error('an attestation that nobody asked for');
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: presented,
        expectedChallenge: take,
        expectedOrigin: this.origin,
        expectedRPID: this.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      return verified ? registrationInfo : undefined;
    });
  }

  /** What the passkey has signed; undefined for a response that is not its. The caller compares the counters. */
  verifyAssertion(
    response: PresentedResponse,
    { credentialId, publicKey }: PasskeyEntity,
    take: TakeChallenge,
  ): Promise<Assertion | undefined> {
    return this.refusing(async () => {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        expectedChallenge: take,
        expectedOrigin: this.origin,
        expectedRPID: this.id,
        requireUserVerification: true,
        credential: {
          id: credentialId.toString('base64url'),
          publicKey: new Uint8Array(publicKey),
          counter: 0,
        },
      });
      return verified ? authenticationInfo : undefined;
    });
  }

  private get id(): string {
    return new URL(this.config.publicUrl).hostname;
  }

  private get origin(): string {
    return new URL(this.config.publicUrl).origin;
  }

  /** The library throws for whatever is wrong with a response, in many ways for one that is malformed. */
  private async refusing<T>(verify: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await verify();
    } catch (error) {
      this.logger.debug({ msg: 'a passkey is refused', reason: String(error) });
      return undefined;
    }
  }
}

/** What a passkey keeps to name its user: the number of the user, which says nothing about the person. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId, 'utf8').toString('base64url');
}

function descriptorOf({ credentialId, transports }: PasskeyEntity): { id: string; transports: string[] } {
  return { id: credentialId.toString('base64url'), transports };
}

/**
 * Whether there is no certificate in it. Browsers leave certificates out where nobody asks for them, and the library would
 * look up addresses that are in one.
 */
function attestsNothing({ response }: RegistrationResponseJSON): boolean {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}
