import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { limits } from "../../../../contract/limits.ts";
import { claimDomain, domainsQuery } from "../../api/organization/sso-domains.ts";
import { fieldError, Form } from "../../parts/forms/form.tsx";
import { List } from "../../parts/lists/list-section.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { DomainItem } from "./domain-item.tsx";

/** The domains of an organization with their records, and the claim of another one. */
export function Domains({ org }: { org: string }) {
  const found = useQuery(domainsQuery(org));
  const { data } = found;
  return (
    <section className="panel" aria-labelledby="domains-heading">
      <header>
        <h2 id="domains-heading">Domains</h2>
      </header>
      <div className="body stack gap-4">
        <p className="sub">
          Verify the domain of your e-mail addresses by a DNS record. Only addresses in verified domains lead
          to your single sign-on. A subdomain has a record of its own.
        </p>
        <List found={found} rows={2}>
          {(domains) => (
            <ul className="domains">
              {domains.map((domain) => (
                <DomainItem key={domain.id} org={org} domain={domain} />
              ))}
            </ul>
          )}
        </List>
        {data && data.length < limits.ssoDomains && <ClaimForm org={org} />}
        {data && data.length >= limits.ssoDomains && (
          <p className="meta">An organization has at most {limits.ssoDomains} domains.</p>
        )}
      </div>
    </section>
  );
}

function ClaimForm({ org }: { org: string }) {
  const client = useQueryClient();
  const [domain, setDomain] = useState("");
  const claim = useMutation({
    mutationFn: () => claimDomain(org, domain.trim()),
    onSuccess: async () => {
      setDomain("");
      await client.invalidateQueries({ queryKey: domainsQuery(org).queryKey });
    },
  });
  return (
    <Form
      label="Add a domain"
      error={claim.error}
      onSubmit={() => domain.trim() !== "" && !claim.isPending && claim.mutate()}
    >
      <div className="row wrap end-row">
        <TextInput
          className="grow"
          label="Domain"
          placeholder="acme.com"
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          inputMode="url"
          maxLength={limits.domainName}
          value={domain}
          error={fieldError(claim.error, "domain")}
          onChange={(event) => setDomain(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={claim.isPending} disabled={domain.trim() === ""}>
          Add domain
        </Button>
      </div>
      <Problem error={claim.error} fields={["domain"]} />
    </Form>
  );
}
