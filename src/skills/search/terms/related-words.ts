/**
 * Words of the field that mean the same, or nearly: a line is a group, of which a query for one also finds the others.
 * A word may be in several groups. A phrase of two or three words is found where they stand together.
 */
const groups = `
excel, xlsx, xls, spreadsheet, workbook
csv, tsv, comma separated
word, docx, word document
powerpoint, pptx, ppt, slides, slide deck, presentation, deck, keynote
pdf, pdf document
ocr, text recognition, scanned
image, picture, photo
diagram, flowchart, mermaid, chart
chart, graph, plot, visualization, dataviz
kubernetes, k8s, kubectl, helm
docker, container, dockerfile, containerize
terraform, infrastructure as code, iac, opentofu
ci, continuous integration, github actions, pipeline, build pipeline
cd, deploy, deployment, release, rollout, ship
e2e, end-to-end, browser test, playwright, cypress
unit test, unittest, unit testing
tdd, test-driven, test first
test, testing, spec
qa, quality assurance
bug, defect, issue, error
debug, debugging, troubleshoot, diagnose, root cause
postmortem, retrospective, incident review, incident report
incident, outage, on-call, oncall
runbook, playbook
pull request, pr, merge request, mr
code review, review code, reviewing
refactor, refactoring, cleanup, restructure
git, version control
commit message, commit messages, conventional commits
changelog, release notes, what changed
documentation, docs, docstring, readme
api, rest, endpoint, openapi, swagger
graphql, gql
database, db, postgres, postgresql, mysql
sql, query, database query
schema migration, migration, migrate
orm, prisma, sequelize, sqlalchemy
javascript, js, ecmascript
typescript, ts
python, py
golang, go
nodejs, node
react, jsx, frontend, front-end
frontend, front-end, ui, user interface
backend, back-end, server-side
css, stylesheet, tailwind
ux, user experience, usability
accessibility, a11y, wcag, screen reader
i18n, internationalization, localization, l10n, translate, translation
performance, speed, slow, optimize, optimization, profiling, latency
security, vulnerability, hardening, pentest
authentication, auth, login, sign in, oauth
authorization, permissions, access control, rbac
secret, credential, api key, password
dependency, package, library
upgrade, update, bump
regex, regular expression, regexp
cli, command line, terminal, shell
bash, shell script, shell
email, e-mail, mail, newsletter
summary, summarize, tldr, digest
meeting, minutes, meeting notes
resume, cv, curriculum vitae
blog, blog post, article
seo, search engine
social media, linkedin, twitter
ml, machine learning, model training
ai, llm, language model
prompt, prompting, prompt engineering
agent, subagent, assistant
mcp, model context protocol
scrape, scraping, crawl, crawler
browser, chrome, web page
website, web site, web page, landing page
mobile, app, ios, android
iphone, ios, swift
gif, animation, animated
logo, brand, branding
colour, color, palette
theme, styling, style
art, artwork, illustration, drawing
wireframe, mockup, prototype
game, gamedev, unity, godot
3d, mesh, blender
log, logging, logs
monitoring, observability, metrics, alerting, prometheus, grafana
alert, alarm, notification
cost, spend, billing, cheaper
backup, restore, disaster recovery
legal, contract, agreement
gdpr, privacy, personal data
license, licence, licensing
invoice, receipt, bill
plan, planning, roadmap
brainstorm, brainstorming, ideas, ideation
estimate, estimation, story points
onboarding, new hire, getting started
data analysis, analyze data, analytics
statistics, stats, hypothesis
notebook, jupyter, ipynb
dataframe, pandas, polars
etl, data pipeline, ingestion
paper, article, literature
citation, reference, bibliography
flaky, intermittent, unstable
mock, stub, fake
lint, linter, eslint, static analysis
format, formatter, prettier
memory leak, heap, leak
concurrency, race condition, parallel, multithreading
webapp, web application
password, secret, credential, vault, login
secrets management, secret storage
seo, google, search ranking, search engine, search traffic, organic traffic
screenshot, picture, image, photo
visual regression, screenshot comparison, pixel difference
hire, hiring, recruit, recruiting, job advert, job posting, vacancy, candidate
interview, interviewing, user interview
experiment, a/b test, ab test, split test, variant
offline, without internet, no internet, no network, no connection
stale, outdated, freshness, out of date
data quality, broken data, bad data, validate data
beginner, newcomer, newbie, first time
difficulty, hard, easy, balance, balancing
disaster, catastrophe, burn, data center, data loss
ticket, issue, bug report, backlog
hack, hacking, pentest, penetration test, exploit
startup time, launch time, start time, cold start
aws, amazon, amazon web services
gcp, google cloud
azure, microsoft azure
pair programming, mob programming, two people
bib, bibtex, bibliography, citation, references
latex, tex, overleaf
unreal, ue5, ue4, unreal engine
on-call, pager, paged, pagerduty
down, outage, unavailable, incident, not reachable
cron, schedule, scheduled, timer, systemd, crontab
sign in, log in, login, sso, single sign-on, oauth, oidc, authentication
sign up, signup, registration, register
scam, phishing, fraud, suspicious
chaos, fault injection, kill servers, resilience
responsive, mobile layout, breakpoints, small screens
lab notebook, eln, lab journal
sample size, power analysis, how many
experiment design, study design, randomize, replicate
forecast, prediction, predict, time series, expect
race condition, same moment, same time, concurrent, simultaneous
proofread, proofreading, grammar, spelling, copy edit
mail merge, serial letter, form letter, same letter
letter, cover letter, correspondence
print, printing, poster, brochure, flyer
ad, advert, advertisement, advertising, campaign
marketing, copywriting, landing page
pitch, pitch deck, investor
speech, talk, presentation, slides
tone, voice, tone of voice
simplify, plain language, easy to read, jargon
rewrite, reword, rephrase, paraphrase
shorten, condense, cut, concise
headline, title, subject line
story, fiction, novel, plot
script, screenplay, dialogue
comment, annotation, docstring
glossary, terminology, term
tutorial, guide, how-to, walkthrough
faq, questions and answers, help center, support article
ux writing, microcopy, error message
survey, questionnaire, poll
feedback, review, critique
meeting, agenda, minutes, action items
status report, progress report, weekly report
spec, specification, requirements, prd, user story
roadmap, milestones, priorities, prioritize
okr, goals, objectives
retro, retrospective, lessons learned
risk, threat, hazard
threat model, attack surface, stride
compliance, audit, soc2, iso27001
gdpr, dsar, data protection, personal data, privacy
encrypt, encryption, crypto, tls, ssl, certificate, https
firewall, network, port, vpn
dns, domain, nameserver, domain name
ip, subnet, cidr, vpc
load balancer, reverse proxy, nginx
cdn, cache, caching
container image, docker image, dockerfile, image size
crash, crashing, crashloop, segfault, panic
memory, ram, oom, out of memory
disk, storage, disk space, volume
cpu, processor, load
latency, response time, slow, p99
timeout, hang, stuck, freeze, deadlock
error rate, exception, stack trace, traceback
trace, tracing, opentelemetry, span
dashboard, grafana, charts
slo, sla, error budget, uptime
rollback, revert, undo
feature flag, toggle, canary, gradual rollout
blue green, zero downtime, without downtime
secret leak, leaked key, exposed key
malware, virus, ransomware
vulnerability, cve, security hole
sbom, supply chain, dependency audit
code scan, sast, static analysis
branch, merge, rebase
merge conflict, conflict, merge conflicts
commit, history, blame, bisect
monorepo, workspace, turborepo, nx
package manager, npm, pnpm, yarn
release, version, semver, tag
legacy, old code, technical debt, tech debt
clean code, readable, readability
design pattern, architecture, clean architecture
microservice, microservices, service
event, message queue, queue, kafka, rabbitmq, pubsub
websocket, realtime, real time, live
webhook, callback
rate limit, throttle, throttling
pagination, infinite scroll
search, full text search, elasticsearch
schema, data model, erd, entity
index, query plan, explain
join, sql, window function
warehouse, bigquery, snowflake, redshift
dbt, data transformation
spark, big data, distributed
stream, streaming, kafka
clean data, messy data, data cleaning, tidy
missing values, null, imputation
outlier, anomaly, anomaly detection
regression, linear regression, correlation
classification, classifier, predict
cluster, clustering, segment, segmentation
embedding, vector, rag, retrieval
fine-tune, fine tuning, training
gpu, cuda
map, geo, gis, geospatial, location, gps
table, tabular, grid
pivot, pivot table, summary table
formula, macro, vba
merge pdf, combine pdf, join pdf, split pdf
fill form, form filling, fillable form
redact, redaction, black out, anonymize
scan, scanner, scanned document
signature, sign, sign document
ebook, epub, kindle
convert, conversion, transform, export
download, export, save
upload, import, file upload
extract, parse, pull out
compare, diff, difference, changed
template, boilerplate, scaffold, starter
vue, nuxt
svelte, sveltekit
angular, ng
nextjs, next js
css grid, flexbox, layout
dark mode, night mode, dark theme
font, typography, typeface
icon, icons, pictogram
svg, vector graphic
animation, motion, transition
video, clip, recording
audio, sound, music, podcast
subtitle, caption, transcript, transcription
contrast, color blind, readable colors
keyboard, focus, tab order
wizard, onboarding, first run
form, input, validation, field
button, component, widget
design system, component library, tokens
figma, sketch, design file
usability test, user testing, user research
persona, customer journey, journey map
browser, chrome, firefox, safari
page, web page, site
click, automate browser, browser automation, selenium, puppeteer, playwright
unit test, pytest, jest, junit, vitest
snapshot, golden file
coverage, test coverage, untested
mutation testing, mutants, good tests
load test, stress test, performance test, k6
contract test, pact
regression test, regression
test data, fixture, factory, seed
manual test, test plan, test case, exploratory
android, kotlin, jetpack compose
ios, swift, swiftui, xcode
flutter, dart
react native, expo
app store, play store, store listing, submission
push, push notification, notification
deep link, universal link
in-app purchase, subscription, paywall
crash report, crashlytics, sentry, minidump
battery, power consumption
unity, c#, game engine
godot, gdscript
shader, glsl, hlsl
sprite, pixel art
level, level design, map design
enemy, npc, game ai, enemies
multiplayer, netcode, networking
save game, savegame, save system
playtest, player feedback
economy, currency, monetization
rna, single-cell, scrna, sequencing
gene, genome, genomics, variant, dna
protein, structure, folding
molecule, chemistry, compound
simulation, simulate, monte carlo
literature review, systematic review, papers
peer review, referee, manuscript
p-value, significance, significant, hypothesis test
plot, figure, chart
reproducible, reproducibility
lab, experiment, protocol
subagent, multi-agent, orchestration
context, context window, context file, claude.md, agents.md
evaluation, eval, benchmark
hallucination, wrong answer, grounding
token, tokens, cost of tokens
slack, teams, chat
linux, ubuntu, debian, server
ansible, configuration management, provisioning
vm, virtual machine
serverless, lambda, function
postgres, postgresql, psql
redis, cache
mongodb, nosql
backup, snapshot, restore
budget, finance, financial, money
invoice, billing, payment
price, pricing
sales, revenue, crm
customer, client, user
employee, staff, hr, people
offboarding, leaving, goodbye
calendar, appointment, event
travel, trip, itinerary
`;

/** Groups of phrases. */
export const relatedGroups: readonly (readonly string[])[] = groups
  .trim()
  .split("\n")
  .map((line) => line.split(", "));
