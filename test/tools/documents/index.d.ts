/** The part of these packages that the tests use: they are checked where they are not installed, too. */
interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

export function createConfig(options: { readonly extends: readonly string[] }): Promise<object>;
export function lint(options: { readonly ref: string; readonly config: object }): Promise<readonly Problem[]>;

interface Model {
  new (manifest: never): { validate(): void };
  readonly apiVersion: string;
}

export const ConfigMap: Model;
export const Deployment: Model;
export const NetworkPolicy: Model;
export const PersistentVolumeClaim: Model;
export const PodDisruptionBudget: Model;
export const Secret: Model;
export const Service: Model;
