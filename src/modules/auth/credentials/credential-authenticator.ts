import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Peers } from '../../../kit/peers/peers.js';
import {
  Authenticator,
  type HeldCredential,
  type VerifiedSignature,
} from '../../../kit/security/authenticator.js';
import type { PresentedCredential } from '../../../kit/security/presented-credential.js';
import type { Principal } from '../../../kit/security/principal.js';
import type { SignedRequest } from '../../../kit/security/signed-request.js';
import { digestOf, ticketDigestOf } from '../secrets.js';
import { keyIdNamedIn } from '../signatures/signature-input.js';
import { SignatureVerifier } from '../signatures/signature-verifier.js';
import { goodHalvesOf, type SigningHalf, type SigningKey } from '../signatures/signing-key.js';
import { CredentialCache, type Credential } from '../../../kit/security/credential-cache.js';
import { CredentialStore } from './credential-store.js';
import { KeyStore } from './key-store.js';
import { KeyWatch } from './key-watch.js';
import { LastUses } from './last-uses.js';
import { StandingStore } from './standing-store.js';

type FoundCredentials = ReadonlyMap<string, Credential>;

/** A revocation or change: of one token, by its digest, or of all credentials of a holder. */
type Forgotten = { readonly token: string } | { readonly holder: string };

const TOPIC = 'credentials';

/**
 * Looks up access tokens and keys, verifies signatures, and checks the credentials behind them. This process refuses a
 * revoked credential at once, others once they have heard of it, and within a second where they cannot be notified.
 */
@Injectable()
export class CredentialAuthenticator extends Authenticator implements OnModuleInit {
  private readonly tokens: CredentialCache;
  private readonly apiKeys: CredentialCache;
  private readonly signingKeys: CredentialCache<SigningKey>;
  private readonly tickets: CredentialCache<HeldCredential>;
  private readonly standings: CredentialCache<ReadonlySet<string>>;
  private readonly listeners: (() => void)[] = [];

  constructor(
    store: CredentialStore,
    keys: KeyStore,
    keyWatch: KeyWatch,
    standings: StandingStore,
    private readonly lastUses: LastUses,
    private readonly signatures: SignatureVerifier,
    private readonly peers: Peers,
  ) {
    super();
    // The caches refresh credentials in use, or note that they need not, often enough to record the last use here.
    const noting = (found: FoundCredentials): FoundCredentials => {
      for (const { answer: principal } of found.values()) lastUses.note(principal);
      return found;
    };
    this.tokens = new CredentialCache((digests) => store.findTokens(digests).then(noting));
    this.apiKeys = new CredentialCache((digests) => keys.findApiKeys(digests).then(noting), {
      unchangedUntilMs: (sinceMs) => keyWatch.unchangedUntilMs(sinceMs),
      noteUse: (principal) => lastUses.note(principal),
    });
    this.signingKeys = new CredentialCache((ids) => keys.findSigningKeys(ids));
    this.tickets = new CredentialCache((digests) => store.findTickets(digests));
    this.standings = new CredentialCache((keys) => standings.find(keys));
  }

  async onModuleInit(): Promise<void> {
    await this.peers.listen(TOPIC, (forgotten: Forgotten) => this.forget(forgotten));
  }

  override authenticateBearer(token: string): Promise<Principal | undefined> {
    return this.tokens.lookUp(digestOf(token));
  }

  override authenticateApiKey(key: string): Promise<Principal | undefined> {
    return this.apiKeys.lookUp(digestOf(key));
  }

  override async authenticateSigned(request: SignedRequest): Promise<VerifiedSignature> {
    const { keyId, half } = await this.signatures.signerOf(request, (id) => this.signingKeys.lookUp(id));
    this.lastUses.note(half.principal);
    return {
      credential: { scheme: 'signature', digest: `${keyId}.${half.name}` },
      principal: half.principal,
    };
  }

  /** Who signs with the half of a key that the signature is of, if there is one that is good. */
  async signerBy(
    keyId: string,
    isSignedBy: (half: SigningHalf) => Promise<boolean>,
  ): Promise<VerifiedSignature | undefined> {
    const key = await this.signingKeys.lookUp(keyId);
    for (const half of key === undefined ? [] : goodHalvesOf(key)) {
      if (!(await isSignedBy(half))) continue;
      this.lastUses.note(half.principal);
      return {
        credential: { scheme: 'signature', digest: `${keyId}.${half.name}` },
        principal: half.principal,
      };
    }
    return undefined;
  }

  /** Whether an id was that of a key that signs when it was last named; makes no query. */
  knowsKey(keyId: string): boolean {
    return this.signingKeys.knows(keyId);
  }

  override hold({ scheme, secret }: PresentedCredential): HeldCredential {
    return { scheme, digest: digestOf(secret) };
  }

  override knows({ scheme, digest }: HeldCredential): boolean {
    if (scheme === 'signature') return this.signingKeys.knows(keyIdOf(digest));
    return (scheme === 'bearer' ? this.tokens : this.apiKeys).knows(digest);
  }

  override knowsSigner(request: SignedRequest): boolean {
    const keyId = keyIdNamedIn(request);
    return keyId !== undefined && this.signingKeys.knows(keyId);
  }

  override knowsTicket(ticket: string, path: string): boolean {
    return this.tickets.knows(ticketDigestOf(ticket, path));
  }

  override principalOf({ scheme, digest }: HeldCredential): Promise<Principal | undefined> {
    if (scheme === 'signature') return this.signerOf(digest);
    return scheme === 'bearer' ? this.tokens.lookUp(digest) : this.apiKeys.lookUp(digest);
  }

  override credentialOfTicket(ticket: string, path: string): Promise<HeldCredential | undefined> {
    return this.tickets.lookUp(ticketDigestOf(ticket, path));
  }

  override onChanged(listener: () => void): void {
    this.listeners.push(listener);
  }

  scopesOf(credentialKey: string): Promise<ReadonlySet<string> | undefined> {
    return this.standings.lookUp(credentialKey);
  }

  /** Call it after a token is revoked: it is refused from then on. */
  forgetToken(digest: string): void {
    this.forgetEverywhere({ token: digest });
  }

  /**
   * Call it after a change for all credentials of a holder: a key is deleted, credentials are revoked, the user is
   * locked or closed, or the client loses a scope. `holder` is a principal's key, or a grant's.
   */
  forgetAllOf(holder: string): void {
    this.forgetEverywhere({ holder });
  }

  /** Who signs with this half of a key, as long as it is good. */
  private async signerOf(digest: string): Promise<Principal | undefined> {
    const keyId = keyIdOf(digest);
    const key = await this.signingKeys.lookUp(keyId);
    const half = key && goodHalvesOf(key).find(({ name }) => `${keyId}.${name}` === digest);
    if (half !== undefined) this.lastUses.note(half.principal);
    return half?.principal;
  }

  private forgetEverywhere(forgotten: Forgotten): void {
    this.forget(forgotten);
    this.peers.say(TOPIC, forgotten);
  }

  private forget(forgotten: Forgotten): void {
    if ('token' in forgotten) this.tokens.forget(forgotten.token);
    else {
      const caches = [this.tokens, this.apiKeys, this.signingKeys, this.standings];
      for (const cache of caches) cache.forgetAllOf(forgotten.holder);
    }
    for (const listener of this.listeners) listener();
  }
}

function keyIdOf(digest: string): string {
  return digest.slice(0, digest.indexOf('.'));
}
