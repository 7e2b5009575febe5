import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { nextCredentialId } from '../secrets/credential-ids.js';
import type { NoticeFacts } from '../../users/notices/notice.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import { FactorChanges } from './factor-changes.js';
import { renewRecoveryCodes } from './recovery-codes.js';
import { SecondFactors } from './second-factors.js';
import { StepUps } from './step-up.service.js';
import { type ChallengeUse, PasskeyChallenges } from '../passkeys/passkey-challenges.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import {
  toPasskeyDto,
  type CreatePasskeyDto,
  type CreatedPasskeyDto,
  type PasskeyDto,
} from '../passkeys/passkey.dto.js';
import { PasskeyEntity } from '../passkeys/passkey.entity.js';
import { type PresentedResponse, type Registration, RelyingParty } from '../passkeys/relying-party.js';
import { PASSKEY_IDS } from '../names/ids.js';

const PASSKEYS_PER_USER_MAX = 20;
/** Those of WebAuthn; a browser may send anything. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/**
 * The passkeys of users. All methods throw `forbidden` (403) for what is no session, and those that change a factor
 * `step_up_required` (403).
 */
@Injectable()
export class Passkeys {
  constructor(
    @InjectRepository(PasskeyEntity) private readonly passkeys: Repository<PasskeyEntity>,
    private readonly challenges: PasskeyChallenges,
    private readonly party: RelyingParty,
    private readonly factors: SecondFactors,
    private readonly changes: FactorChanges,
    private readonly stepUps: StepUps,
  ) {}

  /** What a browser needs to make a passkey. Throws `conflict` (409) at the limit. */
  async begin(principal: Principal): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const use = registrationOf(principal);
    requireStepUp(principal);
    const present = await this.passkeys.findBy({ userId: use.userId });
    requireRoom(present.length);
    const user = { userId: use.userId, username: principal.id };
    return this.party.creationOptions(user, present, await this.challenges.issue(use));
  }

  /**
   * Registers a passkey, with recovery codes for who had no second factor. Throws `validation_failed` (400) for a response
   * that proves none, and `conflict` (409) for one that is registered and at the limit.
   */
  async create(principal: Principal, { name, response }: CreatePasskeyDto): Promise<CreatedPasskeyDto> {
    const use = registrationOf(principal);
    requireStepUp(principal);
    const take = (challenge: string): Promise<boolean> => this.challenges.take(challenge, use);
    const registration = await this.party.verifyRegistration(response, take);
    if (registration === undefined) throw notProved();
    return this.changes.run(
      principal,
      async (manager, { userId }) => {
        requireRoom(await manager.countBy(PasskeyEntity, { userId }));
        const isFirstFactor = !(await this.factors.isEnrolled(userId, manager));
        const transports = transportsIn(response);
        const passkey = await this.insert(manager, { userId, name, transports, registration });
        await this.stepUps.note(manager, principal, 'passkey');
        await notifyUser(manager, principal.key, 'factor_added', factsOf(name));
        const codes = isFirstFactor ? await renewRecoveryCodes(manager, userId) : null;
        return { ...toPasskeyDto(passkey), recovery_codes: codes };
      },
      ({ passkey_id }) => ({ passkey_id }),
    );
  }

  /** The caller's passkeys, newest first. Throws `invalid_cursor` (400). */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<PasskeyDto>> {
    const before = decodeCursor(cursor, ['text'])?.[0];
    const rows = await this.passkeys.find({
      where: { userId: ownerIdOf(principal), ...(before !== undefined && { passkeyId: LessThan(before) }) },
      order: { passkeyId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ passkeyId }) => [passkeyId], toPasskeyDto);
  }

  /** Throws `not_found` (404). */
  async rename(principal: Principal, passkeyId: string, name: string): Promise<PasskeyDto> {
    const own = { passkeyId, userId: ownerIdOf(principal) };
    await this.passkeys.update(own, { name });
    const passkey = await this.passkeys.findOneBy(own);
    if (passkey === null) throw passkeyNotFound();
    return toPasskeyDto(passkey);
  }

  /**
   * Removes a passkey, which is refused from then on. Throws `not_found` (404), and `conflict` (409) for operators who need
   * a second factor and have no other.
   */
  async remove(principal: Principal, passkeyId: string): Promise<void> {
    await this.changes.run(
      principal,
      async (manager, user) => {
        const { affected } = await manager.delete(PasskeyEntity, { passkeyId, userId: user.userId });
        if (affected === 0) throw passkeyNotFound();
        await this.changes.settleRemoval(manager, user);
        await notifyUser(manager, principal.key, 'factor_removed', factsOf(passkeyId));
      },
      () => ({ passkey_id: passkeyId }),
    );
  }

  private async insert(
    manager: EntityManager,
    { userId, name, transports, registration }: NewPasskey,
  ): Promise<PasskeyEntity> {
    const { credential, aaguid, credentialBackedUp } = registration;
    const passkey = manager.create(PasskeyEntity, {
      passkeyId: await nextCredentialId(manager, PASSKEY_IDS),
      userId,
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: String(credential.counter),
      transports: [...transports],
      aaguid,
      isBackedUp: credentialBackedUp,
      name,
      createdAt: new Date(),
      lastUsedAt: null,
    });
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(PasskeyEntity)
      .values(passkey)
      .orIgnore()
      .returning('passkey_id')
      .execute();
    // Whoever has it: a passkey is one user's alone.
    if ((inserted.raw as unknown[]).length === 0)
      throw new ApiError(CONFLICT, 'This passkey is registered already.');
    return passkey;
  }
}

interface NewPasskey {
  readonly userId: string;
  readonly name: string;
  readonly transports: readonly string[];
  readonly registration: Registration;
}

/** A challenge that only this session may answer. */
function registrationOf(principal: Principal): ChallengeUse & { readonly userId: string } {
  return { purpose: 'register', userId: ownerIdOf(principal), askedBy: principal.sessionId ?? null };
}

/** It only helps browsers to find the passkey, and nothing has signed it. */
function transportsIn({ response }: PresentedResponse): string[] {
  const { transports } = response as { readonly transports?: unknown };
  return Array.isArray(transports) ? TRANSPORTS.filter((known) => transports.includes(known)) : [];
}

function factsOf(name: string): NoticeFacts {
  return { factor: { says: 'passkey' }, name };
}

function requireRoom(count: number): void {
  if (count < PASSKEYS_PER_USER_MAX) return;
  throw new ApiError(CONFLICT, `You have ${PASSKEYS_PER_USER_MAX} passkeys already; remove one first.`);
}

function passkeyNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such passkey of yours. See GET /user/passkeys.');
}

function notProved(): ApiError {
  const message =
    'response must be what the browser made for the options of POST /user/passkeys/options, once and within five minutes';
  return ApiError.validation([{ field: 'response', message }]);
}
