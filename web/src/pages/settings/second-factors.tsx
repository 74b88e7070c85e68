import { Info } from "lucide-react";

/** The place of passkeys, authenticator and recovery codes, which this version of the service does not have. */
export function SecondFactors() {
  return (
    <section className="panel" aria-labelledby="factors-heading">
      <header>
        <h2 id="factors-heading">Sign-in</h2>
      </header>
      <div className="body stack g3">
        <dl className="kv">
          <dt>Password</dt>
          <dd>in use</dd>
        </dl>
        <p className="note">
          <Info className="i s" />
          <span>
            This service has no second factors yet. Choose a long password that you use nowhere else, and end
            sessions that you don't recognize.
          </span>
        </p>
      </div>
    </section>
  );
}
