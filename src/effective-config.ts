/** The configuration in effect, for `config`: each variable with its value and its origin, secrets masked. */
import { Environment } from "./environment.ts";
import { secretNames } from "./secret-files.ts";

export interface EffectiveVariable {
  name: string;
  /** As it is used; undefined if it is unset and has no default. */
  value: string | undefined;
  /** Where the value comes from: `default`, `environment`, or the path of a file. */
  origin: string;
}

const isSecret = (name: string) => (secretNames as readonly string[]).includes(name);

type Value = string | number | boolean | readonly string[] | undefined;

/** `env`: a usable environment. */
export function effectiveConfig(env: NodeJS.ProcessEnv): EffectiveVariable[] {
  const defaults: Record<string, Value> = Environment.parse({});
  return Object.keys(Environment.shape).map((name) => {
    const file = env[`${name}_FILE`] || undefined;
    const given = env[name] || undefined;
    if (given !== undefined)
      return { name, value: isSecret(name) ? masked(given) : given, origin: "environment" };
    if (isSecret(name) && file !== undefined) return { name, value: "***", origin: file };
    const value = defaults[name];
    return { name, value: value === undefined ? undefined : String(value), origin: "default" };
  });
}

/** An address without its credentials and parameters; nothing of any other secret. */
function masked(value: string): string {
  if (!/^[a-z+]+:\/\//.test(value) || !URL.canParse(value)) return "***";
  const { protocol, host, pathname, username, password } = new URL(value);
  const user = username === "" && password === "" ? "" : "***@";
  return `${protocol}//${user}${host}${pathname}`;
}
