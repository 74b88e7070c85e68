/** Problems of requests to identity providers, which share the transport of Git. */
import type { RepoError } from "../../repos/errors.ts";

export const problemOf = ({ message }: RepoError): string => message.replace(", which Git does not know", "");
