import type { RequestHandler } from 'express';
import type { RateLimits } from '../rate-limit/rate-limits.js';
import { allowedMethods } from '../http/routes.js';

/**
 * Refuses unmatched requests before the router has tried all routes, once an address has spent its budget for refusals.
 * Matched requests pass: they may come from others at the same address. For all other addresses this costs nothing.
 */
export function createRefusalGate(limits: RateLimits): RequestHandler {
  return (request, _response, next) => {
    const mayPass =
      !limits.isSpentBySomebody('refusals') ||
      allowedMethods(request.app, request.path).includes(request.method);
    if (mayPass) {
      next();
      return;
    }
    limits.requireBudget('refusals', limits.addressBucketOf(request)).then(() => next(), next);
  };
}
