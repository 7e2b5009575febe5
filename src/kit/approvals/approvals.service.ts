import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Act, AuditOutcome } from '../audit/audit-entry.js';
import { AuditLog } from '../audit/audit-log.js';
import { NOT_FOUND, APPROVAL_NOT_PENDING, CONFLICT, OUTCOME_UNKNOWN } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { fingerprintOf, requestHashOf } from '../repeated-requests.js';
import { insufficientScope } from '../security/challenges.js';
import { CredentialStandings } from '../security/credential-standings.js';
import { personOf, type Principal } from '../security/principal.js';
import { grants } from '../security/scope.js';
import type { ApprovalKind } from './approval-kind.js';
import { ApprovalKinds } from './approval-kinds.js';
import type { ApprovalType } from './approval-type.js';
import { ApprovalEntity, approvalIdOf, KEYED_APPROVALS } from './approval.entity.js';
import { Persons } from './persons.js';
import { ownMatter, SecondPerson } from './second-person.js';
import { APPROVAL_IDS } from './ids.js';

const EXPIRES_AFTER = '7 days';
const SWEPT_AT_ONCE_MAX = 100;

/** An act that waits for a second person. */
export interface Proposal<Payload extends object = object> {
  readonly kind: ApprovalType<Payload>;
  readonly subject: { readonly type: string; readonly id: string };
  /** The person whose account, case or credential it concerns; null if nobody's. */
  readonly owner: string | null;
  /** What will happen, in one sentence with amounts and names. */
  readonly summary: string;
  /** The act in canonical form: the same act gives the same payload. */
  readonly payload: NoInfer<Payload>;
  /** At most one act of a slot may be pending. */
  readonly slot?: string;
}

/** A proposal that was stored now or before. */
export interface Proposed {
  readonly proposed: ApprovalEntity;
  readonly replayed: boolean;
}

/** A request with an `Idempotency-Key`. */
export interface ProposalRequest {
  readonly principal: Principal;
  readonly key: string | undefined;
}

/**
 * Acts that take two persons: one proposes, another approves, and the stored act is carried out. The approval is
 * committed first, then the act runs under a key made from the approval's id; if the process dies in between, the sweep
 * carries it out. No connection is held during a call of the core.
 */
@Injectable()
export class Approvals {
  private readonly logger = new Logger('Approvals');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly kinds: ApprovalKinds,
    private readonly secondPerson: SecondPerson,
    private readonly persons: Persons,
    private readonly audit: AuditLog,
    private readonly standings: CredentialStandings,
  ) {}

  /** The display name of a person, for summaries. */
  nameOf(person: string, manager: EntityManager = this.dataSource.manager): Promise<string> {
    return this.persons.nameOf(manager, person);
  }

  /**
   * Stores what the principal proposes. A repeat (same key, or same act in its slot) returns the stored proposal. The
   * audit log has each proposal of an act; a request that is retried under its key is none.
   * Throws `insufficient_scope` (403) for roles that the kind does not take, `related_person` (403) for the principal's own matters, `conflict` (409) if another act is pending in the
   * slot, and `idempotency_key_reused` (422).
   */
  async propose<Payload extends object>(
    { principal, key }: ProposalRequest,
    proposal: Proposal<Payload>,
  ): Promise<Proposed> {
    const proposedBy = personOf(principal);
    const { proposes } = proposal.kind;
    if (proposes !== undefined && !grants(principal.scopes, proposes)) throw insufficientScope(proposes);
    if (proposal.owner === proposedBy) throw ownMatter();
    const requestHash = requestHashOf(principal.key, key);
    return this.dataSource.transaction(async (manager) => {
      await this.expireDue(manager);
      await KEYED_APPROVALS.free(manager, { requestHash });
      const inserted = await insert(manager, { ...proposal, proposedBy, requestHash, expires: true });
      if (inserted === null) {
        const proposed = await this.findRepeat(manager, proposal, requestHash);
        if (requestHash !== null && proposed.requestHash === requestHash) this.audit.markRepeat();
        else await this.audit.record(manager, actOn(proposed, 'proposed'));
        return { proposed, replayed: true };
      }
      await this.audit.record(manager, actOn(inserted, 'proposed'));
      return { proposed: inserted, replayed: false };
    });
  }

  /**
   * Opens the approval of an act with states of its own, in the transaction that makes the act wait for approval. Does
   * nothing if the approval is open already.
   */
  async follow(manager: EntityManager, proposal: Proposal, proposedBy: string): Promise<void> {
    await insert(manager, { ...proposal, proposedBy, requestHash: null, expires: false });
  }

  /** Ends the approval of an act that ended otherwise, such as a payout that its owner cancelled. */
  async unfollow(manager: EntityManager, slot: string, by: string | null, reason: string): Promise<void> {
    await manager.update(
      ApprovalEntity,
      { slot, status: 'pending' },
      { status: 'rejected', decidedBy: by, decidedAt: new Date(), reason },
    );
  }

  /** The approval of a slot that is pending or being carried out, or null. */
  async openIn(slot: string): Promise<ApprovalEntity | null> {
    await this.expireDue(this.dataSource.manager);
    return findOpen(this.dataSource.manager, slot);
  }

  /**
   * Approves a proposal and carries it out. Throws `not_found` (404), `insufficient_scope` (403) for roles that the kind does
   * not take, `approval_not_pending` (409), `conflict` (409) where the proposer has lost the role, `same_person` and
   * `related_person` (403), the refusal of the act (the approval is then `failed`), and `outcome_unknown` (503) if it
   * is approved but will be carried out later.
   */
  async approve(principal: Principal, id: string, reason?: string | null): Promise<ApprovalEntity> {
    const found = await this.find(id);
    this.kinds.requireRole(found.kind, principal.scopes);
    const { kind, type } = this.kinds.of(found.kind);
    if (!kind.hasOwnStates) await this.requireProposer(found, type);
    const { approval, refusal } = await this.dataSource.transaction(async (manager) => {
      const locked = await this.lock(manager, found, kind);
      await this.secondPerson.require(manager, personOf(principal), locked);
      const decision = {
        status: 'approved' as const,
        decidedBy: personOf(principal),
        decidedAt: new Date(),
        reason: reason ?? null,
        carriedOutAt: kind.carryOut === undefined ? new Date() : null,
      };
      const decided = Object.assign(locked, decision);
      const refused = await carryOutWithin(manager, kind, decided);
      if (refused !== undefined) Object.assign(decided, failedBy(refused));
      await manager.save(decided);
      if (refused === undefined) await this.audit.record(manager, actOn(decided, 'succeeded'));
      return { approval: decided, refusal: refused };
    });
    if (refusal !== undefined) throw refusal;
    await this.carryOut(approval, kind).catch((error: unknown) => {
      throw unlessLater(error);
    });
    return this.find(id);
  }

  /**
   * Rejects a proposal. The proposer may withdraw it this way, unless the act has states of its own. Throws `not_found`
   * (404), `insufficient_scope` (403) for roles that the kind does not take, `approval_not_pending` (409), and for acts with states of their own `same_person` and `related_person`.
   */
  async reject(principal: Principal, id: string, reason: string): Promise<ApprovalEntity> {
    const found = await this.find(id);
    if (found.proposedBy !== personOf(principal)) this.kinds.requireRole(found.kind, principal.scopes);
    const { kind } = this.kinds.of(found.kind);
    const approval = await this.dataSource.transaction(async (manager) => {
      const locked = await this.lock(manager, found, kind);
      // Rejecting a proposal changes nothing; ending somebody's payout does, so it needs a second person.
      if (kind.hasOwnStates) await this.secondPerson.require(manager, personOf(principal), locked);
      const decision = { decidedBy: personOf(principal), decidedAt: new Date(), reason };
      const decided = Object.assign(locked, { status: 'rejected' as const, ...decision });
      await kind.rejected?.(decided, manager);
      await this.audit.record(manager, actOn(decided, 'succeeded'));
      return manager.save(decided);
    });
    await kind.afterRejection?.(approval);
    return this.find(id);
  }

  /** As `find`, for who may decide about it. Throws `insufficient_scope` (403) for others. */
  async show({ scopes }: Principal, id: string): Promise<ApprovalEntity> {
    const approval = await this.find(id);
    this.kinds.requireRole(approval.kind, scopes);
    return approval;
  }

  /** Throws `not_found` (404). */
  async find(id: string): Promise<ApprovalEntity> {
    const approvalId = APPROVAL_IDS.parse(id);
    await this.expireDue(this.dataSource.manager);
    const approval =
      approvalId === undefined
        ? null
        : await this.dataSource.manager.findOneBy(ApprovalEntity, { approvalId: String(approvalId) });
    if (approval === null)
      throw new ApiError(NOT_FOUND, 'There is no such approval. See GET /admin/approvals.');
    return approval;
  }

  /** Expires approvals that nobody decided in time. */
  async expireDue(manager: EntityManager = this.dataSource.manager): Promise<void> {
    await manager.query(
      `UPDATE approvals SET status = 'expired', decided_at = now() WHERE status = 'pending' AND expires_at <= now()`,
    );
  }

  /**
   * Carries out acts approved more than `olderThanMs` ago and not done yet, oldest first; returns how many. One failure
   * does not stop the others.
   */
  async sweep(olderThanMs: number): Promise<number> {
    let swept = 0;
    let after = '0';
    for (;;) {
      const due = await this.dataSource.manager
        .createQueryBuilder(ApprovalEntity, 'approval')
        .where(`approval.status = 'approved' AND approval.carried_out_at IS NULL`)
        .andWhere('approval.kind IN (:...names)', { names: this.kinds.names })
        .andWhere('approval.approval_id > :after', { after })
        .andWhere('approval.decided_at <= :before', { before: new Date(Date.now() - olderThanMs) })
        .orderBy('approval.approval_id')
        .limit(SWEPT_AT_ONCE_MAX)
        .getMany();
      for (const approval of due) {
        await this.carryOut(approval, this.kinds.of(approval.kind).kind).catch((error: unknown) => {
          this.logger.warn({ err: error, approvalId: approvalIdOf(approval), msg: 'an approved act waits' });
        });
      }
      swept += due.length;
      if (due.length < SWEPT_AT_ONCE_MAX) return swept;
      after = due.at(-1)!.approvalId;
    }
  }

  /** Two persons with the role have to agree, so that of who has lost it since does not count any more. */
  private async requireProposer(
    { proposedBy }: ApprovalEntity,
    { proposes }: ApprovalType<object>,
  ): Promise<void> {
    if (proposes === undefined) return;
    const scopes = await this.standings.scopesOf(proposedBy);
    if (scopes !== undefined && grants(scopes, proposes)) return;
    throw new ApiError(
      CONFLICT,
      'Who proposed it has lost the role for it. Reject it, and propose it again.',
    );
  }

  /** Carries out a committed approval. Throws the refusal after recording it. */
  private async carryOut(approval: ApprovalEntity, kind: ApprovalKind): Promise<void> {
    if (approval.carriedOutAt !== null) return;
    const due = { approvalId: approval.approvalId, status: 'approved' } as const;
    try {
      await kind.carryOut?.(approval);
    } catch (error) {
      if (isFinal(error)) await this.dataSource.manager.update(ApprovalEntity, due, failedBy(error));
      throw error;
    }
    await this.dataSource.manager.update(ApprovalEntity, due, { carriedOutAt: new Date() });
  }

  /** Locks the act's own row first, then the approval. Everybody who changes both uses this order. */
  private async lock(
    manager: EntityManager,
    { approvalId, payload }: ApprovalEntity,
    kind: ApprovalKind,
  ): Promise<ApprovalEntity> {
    await kind.lock?.(payload, manager);
    const locked = await manager.findOneOrFail(ApprovalEntity, {
      where: { approvalId },
      lock: { mode: 'pessimistic_write' },
    });
    const isOver = locked.expiresAt !== null && locked.expiresAt.getTime() <= Date.now();
    if (locked.status === 'pending' && !isOver) return locked;
    throw new ApiError(
      APPROVAL_NOT_PENDING,
      `The approval is ${isOver && locked.status === 'pending' ? 'expired' : locked.status}; there is nothing to decide.`,
    );
  }

  private async findRepeat(
    manager: EntityManager,
    proposal: Proposal,
    requestHash: string | null,
  ): Promise<ApprovalEntity> {
    const fingerprint = digestOf(proposal);
    const asked = await KEYED_APPROVALS.find(manager, { requestHash, fingerprint });
    const open = asked ?? (proposal.slot === undefined ? null : await findOpen(manager, proposal.slot));
    if (open?.fingerprint === fingerprint) return open;
    throw new ApiError(
      CONFLICT,
      open === null
        ? 'Another operator has just decided. Read it again, then send it again.'
        : `${open.proposedBy} has proposed: ${open.summary} Decide about ${approvalIdOf(open)} first.`,
    );
  }
}

async function insert(
  manager: EntityManager,
  proposal: Proposal & {
    readonly proposedBy: string;
    readonly requestHash: string | null;
    readonly expires: boolean;
  },
): Promise<ApprovalEntity | null> {
  const { kind, subject, owner, summary, payload, slot, proposedBy, requestHash, expires } = proposal;
  const inserted = await manager
    .createQueryBuilder()
    .insert()
    .into(ApprovalEntity)
    .values({
      kind: kind.name,
      subjectType: subject.type,
      subjectId: subject.id,
      owner,
      slot: slot ?? null,
      summary,
      payload,
      fingerprint: digestOf(proposal),
      requestHash,
      proposedBy,
      expiresAt: expires ? () => `now() + interval '${EXPIRES_AFTER}'` : null,
    })
    .orIgnore()
    .returning('approval_id')
    .execute();
  const [row] = inserted.raw as { readonly approval_id: string }[];
  return row === undefined ? null : manager.findOneByOrFail(ApprovalEntity, { approvalId: row.approval_id });
}

/** Runs in a savepoint: a refused act leaves only the approval that records the refusal. Returns the refusal. */
async function carryOutWithin(
  manager: EntityManager,
  kind: ApprovalKind,
  approval: ApprovalEntity,
): Promise<ApiError | undefined> {
  if (kind.hasOwnStates) {
    await kind.approved?.(approval, manager);
    return undefined;
  }
  try {
    await manager.transaction((inner) => kind.approved?.(approval, inner) ?? Promise.resolve());
    return undefined;
  } catch (error) {
    if (isFinal(error)) return error;
    throw error;
  }
}

function findOpen(manager: EntityManager, slot: string): Promise<ApprovalEntity | null> {
  return manager
    .createQueryBuilder(ApprovalEntity, 'approval')
    .where('approval.slot = :slot', { slot })
    .andWhere(
      `(approval.status = 'pending' OR (approval.status = 'approved' AND approval.carried_out_at IS NULL))`,
    )
    .getOne();
}

function digestOf({ kind, subject, payload }: Proposal): string {
  return fingerprintOf(kind.name, `${subject.type}/${subject.id}`, payload);
}

/** The audit target is the subject, so that all acts on it are found by its id. */
function actOn(approval: ApprovalEntity, outcome: AuditOutcome): Act {
  const { subjectType: type, subjectId: id, kind, status } = approval;
  const details = { approval_id: approvalIdOf(approval), kind, status };
  return { target: { type, id }, outcome, details };
}

function isFinal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status < 500;
}

function failedBy({ code }: ApiError): Pick<ApprovalEntity, 'status' | 'reason' | 'carriedOutAt'> {
  return { status: 'failed', reason: code, carriedOutAt: null };
}

/** The sweep will carry out the approved act, so the caller must not be told that nothing was done. */
function unlessLater(error: unknown): unknown {
  if (isFinal(error)) return error;
  return new ApiError(
    OUTCOME_UNKNOWN,
    'It is approved, and is carried out as soon as that is possible. Read the approval to see.',
    { headers: { 'Retry-After': '1' }, cause: error },
  );
}
