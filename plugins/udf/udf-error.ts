/** What the feed refuses by its own words, in an answer of status 200. */
export class UdfError extends Error {}

/** The documented answer to a request that cannot be met. */
export interface UdfFailure {
  readonly s: 'error';
  readonly errmsg: string;
}

/** The answer, or the feed's refusal; everything else is the service's to answer. */
export async function orFailure<Answer>(answer: Promise<Answer>): Promise<Answer | UdfFailure> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UdfError) return { s: 'error', errmsg: error.message };
    throw error;
  }
}
