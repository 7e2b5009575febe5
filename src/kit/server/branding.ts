import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import type { Branding, Logo } from '../words/branding/branding.js';
import { PreparedDocument } from './prepared-document.js';
import { PreparedDocuments } from './prepared-documents.js';

/** Nothing that an image could run or load, also where somebody opens it by itself. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Below the service's address. */
export function logoPath({ name }: Logo): string {
  return `branding/${name}`;
}

/** Where a person writes to. */
export function addressOfSupport(support: string): string {
  return support.includes('://') ? support : `mailto:${support}`;
}

/** Serves the operator's logo, which pages show as an image. */
export function serveLogo(nest: INestApplication, { logo }: Branding): void {
  if (logo === null) return;
  const documents = nest.get(PreparedDocuments);
  const path = `/${logoPath(logo)}`;
  nest.use(path, documents.takeRead, withLogoPolicy);
  documents.serve(nest, path, new PreparedDocument(logo.contentType, () => Promise.resolve(logo.bytes)));
}

const withLogoPolicy: RequestHandler = (_request, response, next) => {
  response.set({ 'Content-Security-Policy': LOGO_POLICY, 'X-Content-Type-Options': 'nosniff' });
  next();
};
