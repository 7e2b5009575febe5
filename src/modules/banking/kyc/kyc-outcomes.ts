import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BuiltInChecksOnly, KycProvider, type KycOpinion } from './kyc-provider.js';
import { Settings } from '../../../kit/config/settings.js';
import { AUTOMATIC_LEVEL, statusByChecks } from './checks/automatic-decision.js';
import type { CheckOutcome, CheckResult } from './checks/check-result.js';
import { requirementsOf } from './checks/requirements.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { BY_SERVICE, approveCase, changeCase } from './kyc-changes.js';
import { KYC_SETTINGS } from './kyc-settings.js';

const OUTCOME_OF_VERDICT: Readonly<Record<KycOpinion['verdict'], CheckOutcome>> = {
  clear: 'passed',
  review: 'review',
  reject: 'failed',
};

const NOT_MET = {
  code: 'requirements_not_met',
  message: 'Submit a new case that meets the requirements.',
};

/** What becomes of cases by their checks, and by what an outside provider thinks of them. */
@Injectable()
export class KycOutcomes {
  constructor(
    private readonly settings: Settings,
    private readonly provider: KycProvider,
  ) {}

  /** Whether a provider other than the service itself looks at cases. */
  get isProviderOutside(): boolean {
    return !(this.provider instanceof BuiltInChecksOnly);
  }

  /** Goes on from the built-in checks of a new case. The person is locked. */
  async afterChecks(manager: EntityManager, kyc: KycCaseEntity): Promise<void> {
    await this.proceed(manager, kyc, { awaitsProvider: this.isProviderOutside, changedBy: BY_SERVICE });
  }

  /** Goes on from a provider's opinion. The person is locked, and the case is open. */
  async afterOpinion(manager: EntityManager, kyc: KycCaseEntity, opinion: KycOpinion): Promise<void> {
    const result: CheckResult = { check: 'provider', outcome: OUTCOME_OF_VERDICT[opinion.verdict] };
    kyc.checks = [...kyc.checks.filter(({ check }) => check !== 'provider'), result];
    await manager.update(KycCaseEntity, { kycId: kyc.kycId }, { checks: kyc.checks });
    const changedBy = `provider:${this.provider.name}`;
    if (opinion.verdict === 'reject' && this.settings.get(KYC_SETTINGS).autoReject) {
      const { code, message } = opinion;
      await changeCase(manager, kyc, { status: 'rejected', changedBy, code, reasons: [{ code, message }] });
    } else if (kyc.status === 'pending') {
      await this.proceed(manager, kyc, { awaitsProvider: false, changedBy });
    }
  }

  private async proceed(
    manager: EntityManager,
    kyc: KycCaseEntity,
    { awaitsProvider, changedBy }: { readonly awaitsProvider: boolean; readonly changedBy: string },
  ): Promise<void> {
    const { autoApprove, autoReject, ageMinYears } = this.settings.get(KYC_SETTINGS);
    const status = statusByChecks(kyc.checks, { autoApprove, autoReject, awaitsProvider });
    const requirements = requirementsOf(kyc.checks, ageMinYears);
    switch (status) {
      case 'pending':
        return;
      case 'approved':
        return approveCase(manager, kyc, { level: AUTOMATIC_LEVEL, changedBy, code: 'checks_passed' });
      case 'rejected':
        return changeCase(manager, kyc, {
          status,
          changedBy,
          code: 'checks_failed',
          reasons: [NOT_MET],
          requirements,
        });
      case 'in_review':
        return changeCase(manager, kyc, { status, changedBy, code: 'review_needed', requirements });
    }
  }
}
