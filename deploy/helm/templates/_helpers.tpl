{{- define "svc.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "svc.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "svc.name" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Variables of every process. Others of the Secret come by envFrom; without one of these, no pod starts. */}}
{{- define "svc.env" -}}
{{- range list "MONGODB_URL" "REDIS_URL" "SECRET_KEYS" }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.Values.existingSecret }}
      key: {{ . }}
{{- end }}
{{- range $name, $value := .Values.config }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $value := .Values.proxy }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- if .Values.caBundle.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/svc/ca/{{ .Values.caBundle.key }}
{{- end }}
{{- if .Values.repositories.GIT_STORE }}
- name: GIT_STORE
  value: {{ .Values.repositories.GIT_STORE | quote }}
- name: CACHE_MEGABYTES
  value: {{ .Values.scratch.CACHE_MEGABYTES | toString | quote }}
{{- else }}
- name: GIT_ROOT
  value: /git
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What the pods of API, workers and migrations have in common. */}}
{{- define "svc.pod" -}}
serviceAccountName: {{ include "svc.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
volumes:
  - name: data
    emptyDir:
      sizeLimit: {{ .Values.scratch.sizeLimit }}
  - name: tmp
    emptyDir: {}
  {{- if .Values.repositories.existingClaim }}
  - name: git
    persistentVolumeClaim:
      claimName: {{ .Values.repositories.existingClaim }}
  {{- end }}
  {{- if .Values.caBundle.configMap }}
  - name: ca
    configMap:
      name: {{ .Values.caBundle.configMap }}
  {{- end }}
{{- end -}}

{{- define "svc.container" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  {{- include "svc.env" . | nindent 2 }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- if .Values.repositories.existingClaim }}
  - name: git
    mountPath: /git
  {{- end }}
  {{- if .Values.caBundle.configMap }}
  - name: ca
    mountPath: /etc/svc/ca
    readOnly: true
  {{- end }}
{{- end -}}
