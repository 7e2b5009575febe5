import type { Type } from '@nestjs/common';
import { operators } from '../security/operator-roles.js';
import type { Scope, ScopeRequirement } from '../security/scope.js';
import type { ApprovalKind } from './approval-kind.js';

export interface ApprovalTraits {
  /**
   * Roles of operators that such an act needs, of whom proposes and of whom decides; with none, `admin` alone has it.
   * Left out, `admin` decides, and the route of the proposal says who proposes.
   */
  readonly roles?: readonly Scope[];
}

/**
 * A kind of act that takes two persons: declare it once as a constant, list what `carriedOutBy` makes in `approvals` of the
 * module, and use it in proposals. Its name and the JSON shape of its payloads are stored, so keep both.
 */
export class ApprovalType<Payload extends object> {
  /** Type-level only: a proposal of one kind takes no payload of another. */
  declare protected readonly payload: Payload;

  /** Of whom decides. */
  readonly decides: ScopeRequirement;
  /** Of whom proposes, up to the decision; undefined where the route says it. */
  readonly proposes: ScopeRequirement | undefined;

  constructor(
    /** Such as `payout`; of a plugin such as `acme_loyalty_grant`: the plugin's name and the act. */
    readonly name: string,
    { roles }: ApprovalTraits = {},
  ) {
    this.decides = operators(...(roles ?? []));
    this.proposes = roles === undefined ? undefined : this.decides;
  }

  /** Says which object knows what an approved act does. */
  carriedOutBy<Handler extends object>(
    handler: Type<Handler>,
    kindOf: (handler: Handler) => ApprovalKind<Payload>,
  ): ApprovalHandler {
    return { type: this, handler, kindOf: kindOf as ApprovalHandler['kindOf'] };
  }
}

/** A kind of act with what carries it out. */
export interface ApprovalHandler {
  readonly type: ApprovalType<object>;
  readonly handler: Type<object>;
  readonly kindOf: (handler: object) => ApprovalKind;
}

/** The names of all kinds of acts that the modules of one application declare, sorted. */
export class ApprovalCatalogue {
  readonly names: readonly string[];

  constructor(handlers: readonly ApprovalHandler[]) {
    this.names = handlers.map(({ type }) => type.name).sort();
  }
}
