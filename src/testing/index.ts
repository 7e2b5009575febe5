/** For tests of plugins and of programs that embed the service: `import { TestService } from 'tradepost/testing'`. */
export { TestService, type TestServiceOptions } from './test-service.js';
export { TestClient, type TestAnswer } from './test-client.js';
