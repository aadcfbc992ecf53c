;;; journey.el --- Templates in a real Emacs, from the first problem to a job -*- lexical-binding: t; -*-

;;; Commentary:

;; Run in batch by test_emacs.py, once with each client (AJ_CLIENT), in a folder with
;; the project of the tests (AJ_PROJECT).  Emacs does not become idle in batch, so what
;; waits for that is run while tests wait.

;;; Code:

(require 'ert)
(require 'aj)

(defconst journey-project (file-name-as-directory (getenv "AJ_PROJECT")))
(defconst journey-client (intern (getenv "AJ_CLIENT")))
(defvar eglot-send-changes-idle-time)
(defconst journey-patience 60 "Seconds that a busy machine may take for anything.")

(setq aj-client journey-client
      aj-preview-delay 0.05
      make-backup-files nil
      create-lockfiles nil)
(add-hook 'aj-template-mode-hook #'aj-ensure)
(add-hook 'project-find-functions (lambda (_) (cons 'transient journey-project)))

(defvar journey-said nil "What was said, newest first.")
(advice-add 'message :before
            (lambda (&optional form &rest arguments)
              (when form (push (apply #'format-message form arguments) journey-said))))

(pcase journey-client
  ('eglot (require 'eglot)
          ;; Eglot leaves a server alone that did not live for some seconds, as on a quick machine none here does.
          (setq eglot-sync-connect journey-patience
                eglot-connect-timeout journey-patience
                jsonrpc-default-request-timeout journey-patience
                eglot-autoreconnect t)
          ;; Its questions come at any time, and find their buffer killed.
          (add-hook 'eglot-managed-mode-hook (lambda () (eldoc-mode -1))))
  ('lsp-mode (require 'lsp-mode)
             (setq lsp-response-timeout journey-patience
                   lsp-auto-guess-root t
                   lsp-restart 'auto-restart
                   lsp-session-file (expand-file-name "session" (getenv "HOME"))
                   lsp-enable-file-watchers nil
                   lsp-enable-snippet nil
                   lsp-idle-delay 0.05
                   lsp-warn-no-matched-clients nil)))

(defun journey-rest ()
  "Do what Emacs does when it is idle, and once commands are over."
  ;; An error in a timer is told, and ends nothing.
  (let ((debug-on-error nil))
    (run-hooks 'post-command-hook)
    (dolist (timer (copy-sequence timer-idle-list))
      (unless (timer--repeat-delay timer)
        (timer-event-handler timer)))
    (accept-process-output nil 0.03)))

(defun journey-until (what true)
  "Wait until TRUE, a function, answers other than nil, and return that; else fail, saying WHAT."
  (let ((end (+ (float-time) journey-patience)) found)
    (while (not (or (setq found (funcall true)) (> (float-time) end)))
      (journey-rest))
    (or found
        (ert-fail (list 'not-in-time what
                        :buffer (buffer-string)
                        :said (seq-take journey-said 5))))))

(defun journey-served-p ()
  "Whether the server serves this buffer."
  (pcase journey-client
    ('eglot (eglot-current-server))
    ('lsp-mode (and (bound-and-true-p lsp-mode) (lsp-workspaces)
                    (eq 'initialized (lsp--workspace-status (car (lsp-workspaces))))))))

(defun journey-process ()
  "The id of the server's process; nil where there is none."
  (pcase journey-client
    ('eglot (let ((server (eglot-current-server))) (and server (process-id (jsonrpc--process server)))))
    ('lsp-mode (let ((workspace (car (lsp-workspaces)))) (and workspace (process-id (lsp--workspace-proc workspace)))))))

(defun journey-open (file)
  "Visit FILE of the project, anew, and wait for the server."
  (journey-leave)
  (delete-other-windows)
  (switch-to-buffer (find-file-noselect (expand-file-name file journey-project)))
  (should (eq major-mode 'aj-template-mode))
  (journey-until "the server serves the buffer" #'journey-served-p)
  (goto-char (point-min)))

(defun journey-drain ()
  "Have every answer of eglot's servers: those that come later would not find their buffer."
  (when (eq journey-client 'eglot)
    (dolist (server (apply #'append (hash-table-values eglot--servers-by-project)))
      (jsonrpc-request server :workspace/executeCommand '(:command "aj.status" :arguments [])))))

(defun journey-leave ()
  "Throw away what was changed in templates, and their previews."
  (journey-drain)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (or buffer-file-name (string-prefix-p "*aj " (buffer-name)))
        (when buffer-file-name (set-buffer-modified-p nil))
        (let ((kill-buffer-query-functions nil)) (kill-buffer buffer))))))

(defun journey-problems ()
  "The texts of the problems shown in this buffer."
  (pcase journey-client
    ('eglot (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
    ('lsp-mode (mapcar (lambda (each) (lsp:diagnostic-message each)) (lsp--get-buffer-diagnostics)))))

(defun journey-text (buffer)
  "The text of BUFFER, empty where it is not there."
  (if (get-buffer buffer) (with-current-buffer buffer (buffer-string)) ""))

(defun journey-shows (buffer words)
  "Wait until BUFFER shows WORDS."
  (journey-until (format "%s in %s" words buffer)
                 (lambda () (string-search words (journey-text buffer)))))

(defun journey-put-back (new old)
  "Move the file NEW back to OLD, and have the server know of it."
  (rename-file new old)
  (aj--tell "workspace/didRenameFiles"
            (list :files (vector (list :oldUri (aj--uri new) :newUri (aj--uri old))))))

(defun journey-mode-of (file)
  "The mode of FILE of the project."
  (let ((aj-template-mode-hook nil)
        (buffer (find-file-noselect (expand-file-name file journey-project))))
    (unwind-protect (buffer-local-value 'major-mode buffer)
      (journey-drain)
      (kill-buffer buffer))))

(ert-deftest aj-only-templates-are-templates ()
  (should (eq (journey-mode-of ".aj/template/train.yaml") 'aj-template-mode))
  (should (eq (journey-mode-of "notes/job.yaml") 'aj-template-mode))
  (should (eq (journey-mode-of "compose.yaml") 'yaml-mode))
  (with-temp-file (expand-file-name ".aj/aj.toml" journey-project)
    (insert "templates = [\n  \"*/one.yaml\", 'comp?se.*', \"more/**/*.yaml\"]\n"))
  (unwind-protect
      (pcase-dolist (`(,file ,mode) '(("compose.yaml" aj-template-mode)
                                      ("one.yaml" yaml-mode)
                                      ("jobs/one.yaml" aj-template-mode)
                                      ("jobs/deep/one.yaml" yaml-mode)
                                      ("more/one.yaml" aj-template-mode)
                                      ("more/a/b/two.yaml" aj-template-mode)))
        (should (eq (journey-mode-of file) mode)))
    (delete-file (expand-file-name ".aj/aj.toml" journey-project))))

(ert-deftest aj-columns-are-counted-as-agreed ()
  (with-temp-buffer
    (insert "a: b\né🚀: [low, high]\n")
    (search-backward "high")
    (let ((here (point)))
      (pcase-dolist (`(,encoding ,column) '(("utf-8" 14) ("utf-16" 11) ("utf-32" 10)))
        (let ((aj--encoding encoding))
          (should (equal (aj--position) (list :line 1 :character column)))
          (should (= (aj--point (aj--position)) here))
          (should (= (aj--point '(:line 1 :character 99)) (line-end-position)))))))
  (when (eq journey-client 'eglot)
    (let (aj--encoding)
      (cl-letf (((symbol-function 'eglot-current-server) (lambda () 'new-one))
                ((symbol-function 'eglot--capabilities) (lambda (_) '(:positionEncoding "utf-8"))))
        (aj--agree)
        (should (equal aj--encoding "utf-8"))))))

(ert-deftest aj-a-template-without-a-file-is-to-be-saved-first ()
  (with-temp-buffer
    (let ((aj-template-mode-hook nil)) (aj-template-mode))
    (should (string-search "save it first" (cadr (should-error (aj-preview) :type 'user-error))))))

(ert-deftest aj-problems-are-shown ()
  (journey-open ".aj/template/broken.yaml")
  (when (eq journey-client 'eglot) (flymake-mode 1))
  (journey-until "the problem" (lambda () (seq-some (lambda (each) (string-search "base.common" each))
                                                    (journey-problems)))))

(ert-deftest aj-hovers-tell-where-a-value-comes-from ()
  (journey-open ".aj/template/train.yaml")
  (search-forward "LR")
  (backward-char)
  (let (hover)
    (pcase journey-client
      ('eglot (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover text))))
      ('lsp-mode (lsp-request-async "textDocument/hover" (lsp--text-document-position-params)
                                    (lambda (found) (setq hover (aj--get found "contents" "value"))))))
    (journey-until "the hover" (lambda () hover))
    (should (string-search "train.yaml:6" hover))))

(ert-deftest aj-definitions-lead-to-bases ()
  (journey-open ".aj/template/train.yaml")
  (search-forward "base.lo")
  (xref-find-definitions (xref-backend-identifier-at-point (xref-find-backend)))
  (should (string-suffix-p ".aj/base/loud.yaml" buffer-file-name)))

(ert-deftest aj-completion-offers-bases ()
  (journey-open ".aj/template/sweep.yaml")
  (delete-region (point) (line-end-position))
  (insert "base: base.")
  (let* ((found (pcase journey-client
                  ('eglot (eglot-completion-at-point))
                  ('lsp-mode (lsp-completion-at-point))))
         (offered (all-completions "base." (nth 2 found) (plist-get (nthcdr 3 found) :predicate))))
    (should (seq-some (lambda (each) (string-search "base.loud" each)) offered))))

(ert-deftest aj-a-base-is-renamed-where-the-client-can ()
  (journey-open ".aj/template/train.yaml")
  (search-forward "base.lo")
  (pcase journey-client
    ('eglot (should (string-search "rename the file by hand" (format "%S" (should-error (eglot-rename "base.shouting"))))))
    ('lsp-mode
     (let ((old (expand-file-name ".aj/base/loud.yaml" journey-project))
           (new (expand-file-name ".aj/base/shouting.yaml" journey-project)))
       (lsp-rename "base.shouting")
       (unwind-protect
           (progn
             (should (string-search "[base.common, base.shouting]" (buffer-string)))
             (should-not (file-exists-p old)))
         (journey-put-back new old))))))

(ert-deftest aj-a-file-is-moved-and-the-names-follow ()
  (journey-open ".aj/template/train.yaml")
  (setq journey-said nil)
  (let ((old buffer-file-name) (new (expand-file-name "learn.yaml")))
    (aj-rename-file "learn")
    (journey-until "the message" (lambda () (seq-some (lambda (each) (string-search "learn.yaml now" each))
                                                      journey-said)))
    (unwind-protect
        (progn
          (should (equal buffer-file-name new))
          (should-not (file-exists-p old))
          (should (string-search "base: learn\n" (journey-text "sweep.yaml")))
          (should (buffer-modified-p (get-buffer "sweep.yaml"))))
      (journey-put-back new old))))

(ert-deftest aj-a-preview-follows-an-unsaved-base ()
  (journey-open ".aj/template/train.yaml")
  (aj-preview)
  (let ((preview "*aj JobSpec: train*"))
    (journey-shows preview "\"MODE\": \"loud\"")
    (should (get-buffer-window preview))
    (should (string-suffix-p "train.yaml" buffer-file-name))
    (search-forward "LR")
    (aj-show-in-preview)
    (journey-until "the line of the key"
                   (lambda () (with-current-buffer preview
                                (string-search "\"LR\"" (buffer-substring (line-beginning-position)
                                                                          (line-end-position))))))
    (select-window (get-buffer-window preview))
    (goto-char (point-min))
    (search-forward "\"MODE")
    (aj-go-to-source)
    (journey-until "the base" (lambda ()
                                (string-suffix-p "base/loud.yaml"
                                                 (or (buffer-file-name (window-buffer (selected-window))) ""))))
    (set-buffer (window-buffer (selected-window)))
    (should (looking-at-p "MODE"))
    (should (get-buffer-window preview))
    (journey-until "the base is served" #'journey-served-p)
    (search-forward "loud")
    (replace-match "quiet")
    (journey-shows preview "\"MODE\": \"quiet\"")
    (should (buffer-modified-p))))

(ert-deftest aj-a-preview-for-a-request ()
  (journey-open ".aj/template/train.yaml")
  (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "-n 4 --env LR=0.5 python 'a b.py'")))
    (aj-preview t))
  (let ((preview "*aj JobSpec: train*"))
    (journey-shows preview "\"nodes\": 4")
    (journey-shows preview "\"LR\": \"0.5\"")
    (journey-shows preview "python 'a b.py'")
    (clrhash aj--lines))
  (should-error (aj--request "-x 4") :type 'user-error)
  (aj-merged)
  (journey-shows "*aj merged config: train*" "MODE: loud"))

(ert-deftest aj-the-family-is-shown ()
  (journey-open ".aj/template/train.yaml")
  (aj-bases)
  (journey-shows "*aj bases of train*" "├─ base.common  target jobs\n└─ base.loud  jobs")
  (journey-open ".aj/base/common.yaml")
  (aj-dependents "jobs[0].submit_args.env.MODE")
  (let ((list "*aj templates that extend common*"))
    (journey-shows list "train  leaf, overridden\nsweep  leaf, indirectly, overridden")
    (with-current-buffer list (push-button (point-min)))
    (should (string-suffix-p "base/loud.yaml" (buffer-file-name (window-buffer (selected-window)))))))

(ert-deftest aj-the-impact-of-an-edit-is-shown ()
  (journey-open ".aj/base/loud.yaml")
  (search-forward "loud")
  (replace-match "quiet")
  (aj-impact)
  (journey-shows "*aj impact*" "train (changed)")
  (journey-open ".aj/template/train.yaml")
  (aj-diff "sweep")
  (journey-shows "*aj differences*" "Trains it many times"))

(ert-deftest aj-what-was-typed-in-a-base-a-moment-ago-counts ()
  (journey-open ".aj/template/train.yaml")
  (let ((template (current-buffer)) (eglot-send-changes-idle-time 1000) asked)
    (find-file (expand-file-name ".aj/base/loud.yaml" journey-project))
    (journey-until "the base is served" #'journey-served-p)
    (search-forward "loud")
    (replace-match "quiet")
    (switch-to-buffer template)
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (question) (ignore (setq asked question)))))
      (aj-submit)
      (journey-until "the question" (lambda () asked))
      (should (string-search "unsaved: loud.yaml" asked)))))

(ert-deftest aj-a-job-is-submitted-and-followed ()
  (journey-open ".aj/template/train.yaml")
  (search-forward "0.1")
  (replace-match "0.7")
  (let (asked)
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (question) (setq asked question)))
              (compilation-ask-about-save nil))
      (aj-submit)
      (journey-until "the question" (lambda () asked))
      (should (string-search "on local: 1 node" asked))
      (should (string-search "unsaved: train.yaml" asked))
      (let ((job (journey-until "the log" (lambda ()
                                            (seq-find (lambda (each) (string-prefix-p "*aj job " (buffer-name each)))
                                                      (buffer-list))))))
        (journey-shows (buffer-name job) "trained with 0.7 in mode loud on node 0")
        (journey-shows (buffer-name job) "Compilation finished")))))

(ert-deftest aj-a-refused-job-leads-to-the-problem ()
  (journey-open ".aj/template/broken.yaml")
  (goto-char (point-max))
  (setq journey-said nil)
  (aj-submit)
  (journey-until "the refusal" (lambda () (seq-some (lambda (each) (string-search "base.missing" each)) journey-said)))
  (set-buffer (window-buffer (selected-window)))
  (should (= (line-number-at-pos) 1)))

(ert-deftest aj-no-server-is-a-clear-warning ()
  (let ((aj-command '("no-such-aj" "lsp")) (aj-template-mode-hook nil))
    (with-current-buffer (find-file-noselect (expand-file-name ".aj/template/sweep.yaml" journey-project))
      (aj-ensure)))
  (journey-shows "*Warnings*" "no language server: ‘no-such-aj’ is not on PATH"))

;; By its name the last one, so that the others have their server.
(ert-deftest aj-z-a-server-that-dies-is-started-again ()
  (journey-open ".aj/template/train.yaml")
  (let ((first (journey-process)))
    (signal-process first 'kill)
    (journey-until "another one" (lambda () (let ((now (journey-process))) (and now (/= now first)))))
    (journey-until "the server serves the buffer" #'journey-served-p)
    (aj-merged)
    (journey-shows "*aj merged config: train*" "MODE: loud")))

(provide 'journey)
;;; journey.el ends here
