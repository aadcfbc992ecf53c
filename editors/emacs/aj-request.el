;;; aj-request.el --- What is asked of a job, as `aj run' takes it -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Lines such as "-n 2 -p 8 --env LR=0.1 python train.py" become requests.

;;; Code:

(require 'aj-wire)
(require 'shell)

(defvar aj--lines (make-hash-table :test #'equal)
  "What was asked for last, by template: options and command as for `aj run'.")

(defconst aj--options
  '(("-n" "nodes" number) ("-p" "processes" number) ("--ppn" "ppn" number)
    ("--with" "with" list) ("--set" "set" list) ("--env" "env" list)
    ("--name" "name" text) ("-e" "experiment" text) ("--experiment" "experiment" text) ("--code" "code" text)
    ("--shell" "shell" switch) ("--amlt" "amlt" switch) ("--all-jobs" "all_jobs" switch))
  "Options of `aj run': the member of a request that each is, and what that holds.")

(defun aj--request (line)
  "The request that LINE, options and command as for `aj run', asks for."
  (let ((words (split-string-shell-command line))
        (request (aj--table))
        option)
    (while (setq option (assoc (car words) aj--options))
      (pcase-let ((`(,flag ,member ,kind) option))
        (pop words)
        (if (eq kind 'switch)
            (puthash member t request)
          (unless words (user-error "%s needs a value" flag))
          (let ((value (pop words)))
            (puthash member
                     (pcase kind
                       ('number (if (string-match-p "\\`[0-9]+\\'" value)
                                    (string-to-number value)
                                  (user-error "%s takes a whole number, not %s" flag value)))
                       ('list (vconcat (gethash member request) (vector value)))
                       (_ value))
                     request)))))
    (when (and words (not (equal (car words) "--")) (string-prefix-p "-" (car words)))
      (user-error "There is no option %s; there are %s" (car words) (mapconcat #'car aj--options " ")))
    (when (equal (car words) "--") (pop words))
    (when words (puthash "command" (vconcat words) request))
    request))

(defun aj--line (template ask)
  "The options for TEMPLATE: those of the last time, or what is said when ASK."
  (let ((line (gethash template aj--lines "")))
    (when ask
      (setq line (read-string "aj run " (if (string-empty-p line) "-n 1 " line)))
      (puthash template line aj--lines))
    line))

(provide 'aj-request)
;;; aj-request.el ends here
