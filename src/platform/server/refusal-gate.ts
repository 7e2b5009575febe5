import type { RequestHandler } from 'express';
import type { RateLimits } from '../rate-limit/rate-limits.js';
import { allowedMethods } from '../http/routes.js';

/**
 * Turns away what no route takes, before the router has looked at all of them, once an address has spent its
 * budget for refusals. What a route takes goes on: neighbours at the address may be asking. For everybody else,
 * and while no address has spent it, this costs nothing.
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
