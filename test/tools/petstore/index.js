export { default } from 'swagger-client';
