;;; aj-submit.el --- Jobs from templates -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A job is shown as it would be sent; exactly that is sent once the person
;; agrees, and its output is followed.

;;; Code:

(require 'aj-request)
(require 'aj-wire)
(require 'compile)
(require 'js)

(defun aj-follow-job (job)
  "Follow the output of JOB, an id, in a buffer of its own."
  (interactive "sJob: ")
  (let ((aj (if (equal (last aj-command) '("lsp")) (butlast aj-command) '("aj"))))
    (compilation-start (mapconcat #'shell-quote-argument (append aj (list "jobs" "logs" "-f" job)) " ")
                       nil (lambda (_) (format "*aj job %s*" job)))))

(defun aj--errors (problems)
  "Those of PROBLEMS that are errors."
  (seq-filter (lambda (each) (eql (aj--get each "severity") 1)) problems))

(defun aj--refuse (problems)
  "Say what is wrong in PROBLEMS, and go to the first place of it."
  (let* ((errors (aj--errors problems))
         (placed (seq-find (lambda (each) (and (aj--get each "uri") (aj--get each "range"))) errors)))
    (when placed (aj--go (aj--get placed "uri") (aj--get placed "range")))
    (message "aj: not submitted:\n%s"
             (mapconcat (lambda (each) (format "%s: %s" (aj--get each "code") (aj--get each "message"))) errors "\n"))))

(defun aj--left-open-p (problems)
  "Whether PROBLEMS are about nothing but what the person can still give."
  (let ((errors (aj--errors problems)))
    (and errors
         (seq-every-p (lambda (each) (member (aj--get each "code") '("shape.missing" "command.missing"))) errors))))

;;;###autoload
(defun aj-submit (&optional ask)
  "Show the job that this template makes now, and submit that once you say yes.
Unsaved changes count, and are named.  With a prefix argument, or where the
template leaves the shape open, ASK for options and command, as for `aj run'."
  (interactive "P")
  (let* ((template (aj--template))
         (line (aj--line template ask))
         (request (aj--request line)))
    (with-current-buffer (aj--source)
      (aj--run "aj.dryRun" (list :uri template :request request)
               (lambda (answer)
                 (let ((problems (aj--get answer "problems")))
                   (cond ((aj--get answer "spec_sha256") (aj--confirm template request answer))
                         ((aj--left-open-p problems)
                          (message "aj: %s" (aj--get (car (aj--errors problems)) "message"))
                          (run-with-timer 0 nil #'aj--submit-again (current-buffer)))
                         (t (aj--refuse problems)))))))))

(defun aj--submit-again (source)
  "Submit the template in the buffer SOURCE, asking for options."
  (with-current-buffer source (aj-submit t)))

(defun aj--confirm (template request answer)
  "Show the job in ANSWER that TEMPLATE makes for REQUEST, and ask."
  (let ((source (current-buffer))
        (buffer (get-buffer-create "*aj job to submit*"))
        (unsaved (mapconcat (lambda (each) (file-name-nondirectory (aj--get each "path")))
                            (aj--get answer "unsaved") ", ")))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (aj--get answer "text")))
      (goto-char (point-min))
      (js-mode)
      (setq buffer-read-only t truncate-lines t))
    ;; The answer came while something else may have been going on: ask when Emacs is at rest.
    (run-with-timer
     0 nil
     (lambda ()
       (let ((agreed (save-window-excursion
                       (display-buffer buffer)
                       (y-or-n-p (format "Submit %s%s? "
                                         (aj--get answer "summary" "line")
                                         (if (string-empty-p unsaved) "" (format " (unsaved: %s)" unsaved)))))))
         (kill-buffer buffer)
         (if agreed
             (with-current-buffer source (aj--send template request answer))
           (message "aj: nothing was submitted")))))))

(defun aj--send (template request answer)
  "Submit the job in ANSWER that TEMPLATE makes for REQUEST."
  (dolist (fact '("sid" "now" "spec_sha256"))
    (puthash fact (aj--get answer fact) request))
  (aj--run "aj.submit" (list :uri template :request request)
           (lambda (taken)
             (message "aj: %s" (aj--get taken "message"))
             (aj-follow-job (aj--get taken "job" "id")))
           (lambda (problem)
             (if (equal (aj--get problem "data" "reason") "problems")
                 (aj--refuse (aj--get problem "data" "problems"))
               (message "aj: %s" (aj--get problem "message"))))))

(provide 'aj-submit)
;;; aj-submit.el ends here
