import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ApprovalEntity, ApprovalKindName } from './approval.entity.js';

/** An approval with the payload of its kind. */
export type ApprovalOf<Payload extends object> = Omit<ApprovalEntity, 'payload'> & {
  readonly payload: Payload;
};

/**
 * How one kind of act is carried out once a second person has approved it. The module that owns the act
 * declares it and registers it with `ApprovalKinds`. `approval` has the decision already: `decidedBy` and
 * `reason` are set.
 */
export interface ApprovalKind<Payload extends object = object> {
  readonly name: ApprovalKindName;

  /**
   * Whether the act has rows and states of its own, which the approval follows: it does not expire, a refusal
   * leaves it pending, and to reject it is a decision about somebody's money, so related persons may not.
   */
  readonly hasOwnStates?: boolean;

  /** Locks the act's own row, always before the approval. Throws where it waits for no approval any more. */
  lock?(payload: Payload, manager: EntityManager): Promise<void>;

  /** What is done in the transaction of the approval. An `ApiError` below 500 is the refusal. */
  approved?(approval: ApprovalOf<Payload>, manager: EntityManager): Promise<void>;

  /** What is done in the transaction of the rejection. */
  rejected?(approval: ApprovalOf<Payload>, manager: EntityManager): Promise<void>;

  /**
   * What is done once the approval is committed. It is repeated after a crash, so it must do nothing the
   * second time: commands of the core go under a key made of the approval's id. An `ApiError` below 500 is the
   * refusal, the same at each repeat; anything else is tried again.
   */
  carryOut?(approval: ApprovalOf<Payload>): Promise<void>;

  /** What is done at once when a rejection is committed, and by the act's own sweep where that fails. */
  afterRejection?(approval: ApprovalOf<Payload>): Promise<void>;
}

/** All kinds of acts that take two persons. */
@Injectable()
export class ApprovalKinds {
  private readonly kinds = new Map<ApprovalKindName, ApprovalKind>();

  /** To be called before the service has started, once for each kind. */
  register<Payload extends object>(kind: ApprovalKind<Payload>): void {
    if (this.kinds.has(kind.name)) throw new Error(`the kind ${kind.name} is registered twice`);
    this.kinds.set(kind.name, kind);
  }

  of(name: ApprovalKindName): ApprovalKind {
    const kind = this.kinds.get(name);
    if (kind === undefined) throw new Error(`nobody carries out approvals of the kind ${name}`);
    return kind;
  }
}
