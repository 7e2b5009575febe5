/** The passkeys of the browser (WebAuthn). What it takes comes from the service as it is, and what it gives goes there. */
import { words } from './words/index.js';

type FromService = Readonly<Record<string, unknown>>;

/** Why there is no passkey, in words. */
export class PasskeyFailure extends Error {}

/** Browsers have none at an address without a host name, nor do old ones. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(location.hostname);
  const isKnown =
    'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
  return isKnown && !isAddress;
}

/** Has the browser make one, which its user allows. Rejects with a `PasskeyFailure`. */
export function createPasskey(options: FromService): Promise<Record<string, unknown>> {
  return credentialOf(() => {
    const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
    return navigator.credentials.create({ publicKey });
  });
}

/** Has one sign, which its user allows. Rejects with a `PasskeyFailure`. */
export function signByPasskey(options: FromService): Promise<Record<string, unknown>> {
  return credentialOf(() => {
    const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    return navigator.credentials.get({ publicKey });
  });
}

async function credentialOf(ask: () => Promise<Credential | null>): Promise<Record<string, unknown>> {
  try {
    const credential = (await ask()) as PublicKeyCredential;
    return { ...credential.toJSON() };
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new PasskeyFailure(isKnown ? words.passkeys.isThere : words.passkeys.failed, { cause: error });
  }
}
