import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BinanceError, mandatory } from './binance-error.js';
import { CallersService, READS } from './callers.service.js';
import { DialectRequest } from './dialect-request.js';
import { endpointOf, isSigned } from './endpoint.js';
import type { Parameters } from './parameters.js';
import { RequestWeights } from './request-weights.js';

const API_KEY_HEADER = 'x-mbx-apikey';
const USED_WEIGHT_HEADER = 'X-MBX-USED-WEIGHT-1M';

const READ = Symbol('what a request says');

interface ReadRequest extends Request {
  [READ]: DialectRequest;
}

/** Takes the weight of a request, and holds it to the parameters of its endpoint and, where that is signed, to its signature. */
@Injectable()
export class DialectGuard implements CanActivate {
  constructor(
    private readonly weights: RequestWeights,
    private readonly callers: CallersService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const endpoint = endpointOf(context.getHandler());
    const read = await DialectRequest.read(request);
    const weight = typeof endpoint.weight === 'number' ? endpoint.weight : endpoint.weight(read.parameters);
    const used = this.weights.take(request.ip ?? '', weight);
    http.getResponse<Response>().setHeader(USED_WEIGHT_HEADER, String(used));
    requireParameters(endpoint, read.parameters);
    if (isSigned(endpoint)) {
      const apiKey = request.headers[API_KEY_HEADER];
      const key = typeof apiKey === 'string' ? apiKey : undefined;
      const { parameters, signedText } = read;
      const use = request.method === 'GET' ? READS : `${request.method} ${request.path}`;
      const signer = await this.callers.signerOf(parameters, key, signedText, request.ip ?? '', use);
      // From here on the request is the caller's, in logs and budgets too.
      request.user = signer.principal;
    }
    (request as ReadRequest)[READ] = read;
    return true;
  }
}

function requireParameters(
  { names, mandatory: required = [] }: ReturnType<typeof endpointOf>,
  parameters: Parameters,
): void {
  const sent = parameters.names;
  if (!sent.every((name) => names.has(name))) {
    const read = sent.filter((name) => names.has(name));
    throw new BinanceError(
      -1104,
      `Not all sent parameters were read; read '${read.length}' parameter(s) but was sent '${sent.length}'.`,
    );
  }
  for (const name of required) if (!parameters.has(name)) throw mandatory(name);
}

/** Passes what the request sends to a handler. */
export const SentParameters = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Parameters =>
    context.switchToHttp().getRequest<ReadRequest>()[READ].parameters,
);
