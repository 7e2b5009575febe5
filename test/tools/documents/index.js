export { createConfig, lint } from '@redocly/openapi-core';
export { Deployment } from 'kubernetes-models/apps/v1';
export { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
export { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
export { ConfigMap, PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1';
