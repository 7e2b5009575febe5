import { ApiAcceptedResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { answer, type Replayable } from '../http/idempotency/replay.js';
import { ApprovalDto, toApprovalDto } from './approval.dto.js';
import type { Proposed } from './approvals.service.js';

/** The result of a request that may need a second person: done, or proposed. */
export type Proposable<T> = Replayable<T> | Proposed;

/** Sends a finished result as it is, and a proposal with 202 and its approval. */
export function answerProposable<T>(response: Response, result: Proposable<T>): T | ApprovalDto {
  if (!('proposed' in result)) return answer(response, result);
  response.status(202);
  return answer(response, { body: toApprovalDto(result.proposed), replayed: result.replayed });
}

/** Documents the answer of a route whose act is a proposal with `FOUR_EYES`. */
export function ApiProposed(): MethodDecorator {
  return ApiAcceptedResponse({
    type: ApprovalDto,
    description: 'With `FOUR_EYES`: nothing has happened yet, and another operator must approve it.',
  });
}
