import { isUtf8 } from 'node:buffer';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UNSUPPORTED_MEDIA_TYPE, MALFORMED_REQUEST } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { announcesBody } from '../http/body/announced-body.js';
import { requirePlainMessage } from '../http/body/message-shape.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { bodyPolicyOf, type BodyMediaType, type BodyPolicy } from '../http/body-policy.js';
import { parseJsonBody } from '../http/body/json-body.js';
import { readMultipart } from '../http/body/multipart.js';
import { payloadTooLarge } from '../http/body/payload-too-large.js';
import { UploadSlots } from '../http/body/upload-slots.js';
import { parseUrlEncoded } from '../http/body/url-encoded.js';
import { ContentDigest } from './content-digest.js';

/**
 * Reads the body, once, for routes that take one. It runs after the credential guard, so that unknown callers cannot
 * make the service parse anything, and before the pipes, which need `request.body`. A socket's message is parsed
 * already, and only checked. Throws `unsupported_media_type`, `payload_too_large` and `malformed_request`,
 * `signature_invalid` for another body than was signed, and `rate_limited` where too many uploads are in memory.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly policies = new Map<object, BodyPolicy | undefined>();
  private readonly uploadSlots = new UploadSlots();

  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() === 'ws') {
      requirePlainMessage(context.switchToWs().getData());
      return true;
    }
    const policy = this.policyOf(context);
    if (policy === undefined) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const digest = request.heldCredential?.scheme === 'signature' ? ContentDigest.of(request) : undefined;
    if (!announcesBody(request)) {
      digest?.require();
      return true;
    }
    const mediaType = mediaTypeOf(request, policy);
    // A client that disconnected while its credential was checked sends nothing more, not even an end.
    if (request.destroyed) throw connectionClosed();
    if (policy.isUpload) {
      this.uploadSlots.take(this.limits.callerOf(request), context.switchToHttp().getResponse<Response>());
    }
    return readBody(request, mediaType, policy.bytesMax, digest).then((body) => {
      request.body = body;
      return true;
    });
  }

  private policyOf(context: ExecutionContext): BodyPolicy | undefined {
    const handler = context.getHandler();
    if (!this.policies.has(handler)) this.policies.set(handler, bodyPolicyOf(context.getClass(), handler));
    return this.policies.get(handler);
  }
}

function mediaTypeOf(request: Request, { mediaTypes }: BodyPolicy): BodyMediaType {
  const header = request.headers['content-type'];
  // Fast path: the exact form that nearly every client sends.
  const mediaType = mediaTypes.find((each) => header === each || isMediaType(header, each));
  if (mediaType === undefined) {
    throw new ApiError(UNSUPPORTED_MEDIA_TYPE, `Send the body as ${mediaTypes.join(' or ')} in UTF-8.`);
  }
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new ApiError(UNSUPPORTED_MEDIA_TYPE, 'Send the body without a Content-Encoding.');
  }
  return mediaType;
}

function isMediaType(header: string | undefined, mediaType: string): boolean {
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';');
  if (type?.trim() !== mediaType) return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.trim().split('=', 2);
    return name !== 'charset' || value === 'utf-8' || value === '"utf-8"' || value === 'utf8';
  });
}

async function readBody(
  request: Request,
  mediaType: BodyMediaType,
  bytesMax: number,
  digest: ContentDigest | undefined,
): Promise<unknown> {
  if (mediaType === 'multipart/form-data') {
    return digest === undefined
      ? readMultipart(request, bytesMax)
      : readSignedMultipart(request, bytesMax, digest);
  }
  const bytes = await readBytes(request, bytesMax);
  digest?.add(bytes);
  digest?.require();
  if (bytes.length === 0) return undefined;
  if (mediaType === 'application/octet-stream') return { file: bytes };
  if (!isUtf8(bytes)) throw new ApiError(MALFORMED_REQUEST, 'Send the body in UTF-8.');
  const text = bytes.toString('utf8');
  return mediaType === 'application/json' ? parseJsonBody(text) : parseUrlEncoded(text);
}

/** The parser reads the same chunks; what it made of them counts only once all of them were those that were signed. */
async function readSignedMultipart(
  request: Request,
  bytesMax: number,
  digest: ContentDigest,
): Promise<unknown> {
  request.on('data', (chunk: Buffer) => digest.add(chunk));
  const form = await readMultipart(request, bytesMax);
  if (!request.readableEnded) throw connectionClosed();
  digest.require();
  return form;
}

function readBytes(request: Request, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > bytesMax) {
      reject(payloadTooLarge(bytesMax));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > bytesMax) {
        stopListening();
        // Node discards the rest of the body, until the request timeout.
        request.resume();
        reject(payloadTooLarge(bytesMax));
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stopListening();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
    };
    const onGone = (): void => {
      stopListening();
      reject(connectionClosed());
    };
    const stopListening = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function connectionClosed(): ApiError {
  return new ApiError(MALFORMED_REQUEST, 'The connection closed before the whole body had arrived.');
}
