import { afterAll, afterEach, expect } from 'vitest';
import { takeComplaints } from './declared-answers.js';

/** Fails a test during which the service has answered what its document does not declare. */
function checkAnswers(): void {
  expect(takeComplaints(), 'answers that openapi.json does not declare').toEqual([]);
}

afterEach(checkAnswers);
afterAll(checkAnswers);
