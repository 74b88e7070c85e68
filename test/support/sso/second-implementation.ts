/**
 * A second implementation of SAML (`samlify`). Its own types would bring those of browsers into every file, so that the
 * parts which are used are described here.
 */
import { createRequire } from "node:module";
import path from "node:path";
import { root } from "../root.ts";

interface Entity {
  entityMeta: { getEntityID(): string; getAssertionConsumerService(binding: string): string };
  getMetadata(): string;
}

export interface ReadRequest {
  extract: { issuer: string; request: { id: string } };
}

export interface SecondProvider extends Entity {
  parseLoginRequest(sp: Entity, binding: string, http: { query: object }): Promise<ReadRequest>;
  createLoginResponse(
    sp: Entity,
    request: ReadRequest,
    binding: string,
    user: object,
    write: (template: string) => { id: string; context: string },
    encryptsBeforeSigning: boolean,
  ): Promise<{ context: string }>;
}

interface SecondImplementation {
  IdentityProvider(settings: object): SecondProvider;
  ServiceProvider(settings: object): Entity;
  SamlLib: { replaceTagsByValue(template: string, values: object): string };
  Constants: { namespace: { binding: { redirect: string; post: string } } };
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void;
}

export const secondImplementation = createRequire(path.join(root, "package.json"))(
  "samlify",
) as SecondImplementation;
